'use strict';
(() => {
const sections = {{sections}};
const style = {{style-text}};
const code = document.currentScript;

// SHA-256 of bytes, as hexadecimal digits. Pages from file:// have no SubtleCrypto in every browser.
const K = (() => { // the constants: fractional parts of cube roots of primes
  const k = [];
  for (let n = 2; k.length < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break; }
    if (prime) { const c = Math.cbrt(n); k.push(Math.floor((c - Math.floor(c)) * 4294967296) | 0); }
  }
  return k;
})();
function sha256(bytes) {
  const h = new Int32Array([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);
  const w = new Int32Array(64), length = bytes.length, padded = new Uint8Array(((length + 8 >> 6) + 1) << 6);
  padded.set(bytes); padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 536870912)); view.setUint32(padded.length - 4, length << 3);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + ((a >>> 7 | a << 25) ^ (a >>> 18 | a << 14) ^ a >>> 3) + ((b >>> 17 | b << 15) ^ (b >>> 19 | b << 13) ^ b >>> 10);
    }
    let [a, b, c, d, e, f, g, x] = h;
    for (let i = 0; i < 64; i++) {
      const t = x + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + K[i] + w[i] | 0;
      const u = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
      x = g; g = f; f = e; e = d + t | 0; d = c; c = b; b = a; a = t + u | 0;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += x;
  }
  return Array.from(h, v => (v >>> 0).toString(16).padStart(8, '0')).join('');
}
const encoder = new TextEncoder();
const hashOf = text => sha256(encoder.encode(text));

// Broken is the first defect. The message names the entry.
class Broken extends Error {}
const kindIn = line => (/"kind":"([a-z._]{1,40})","prev"/.exec(line.slice(-600)) || [, 'unreadable'])[1];

// verify checks all lines and returns the entries and blobs, or throws Broken.
function verify(text) {
  const lines = text.split('\n');
  let head;
  try { head = JSON.parse(lines[0]); } catch { throw new Broken('The first line of the export is unreadable.'); }
  if (head.schema !== 'brenner.export/v1') throw new Broken('This is not an export that this page can read.');
  const entries = [], blobs = new Map(), broken = [];
  let last = '';
  for (let n = 1; n <= head.entries; n++) {
    const line = lines[n], where = `Entry ${n} (${kindIn(line || '')}) `;
    if (line === undefined || n === lines.length - 1) throw new Broken(`The file is cut off: entry ${n} is missing or incomplete.`);
    let e;
    try { e = JSON.parse(line); } catch { throw new Broken(where + 'was changed: it cannot be read.'); }
    const cut = line.lastIndexOf(`,"hash":"${e.hash}",`);
    if (e.seq !== n || e.stream !== 'session/' + head.thread) throw new Broken(where + 'is not the next entry of this session.');
    if (e.prev !== last) throw new Broken(where + 'does not follow the entry before it.');
    if (cut < 0 || hashOf(line.slice(0, cut) + line.slice(cut + e.hash.length + 10)) !== e.hash) throw new Broken(where + 'was changed: its content does not match its hash.');
    last = e.hash;
    entries.push(e);
  }
  const names = hash => { // the first entry that names a blob
    const n = lines.findIndex((line, i) => i > 0 && i <= head.entries && line.includes(hash));
    return n > 0 ? `entry ${n} (${kindIn(lines[n])})` : '';
  };
  for (let n = head.entries + 1; n <= head.entries + head.blobs; n++) {
    if (lines[n] === undefined || n === lines.length - 1) throw new Broken('The file is cut off: a text is missing or incomplete.');
    let b;
    try { b = JSON.parse(lines[n]); } catch { broken.push([n, `A text (line ${n + 1} of the export) was changed: it cannot be read.`]); continue; }
    const data = b.text === undefined ? Uint8Array.from(atob(b.base64 || ''), c => c.charCodeAt(0)) : encoder.encode(b.text);
    const got = sha256(data);
    if (got !== b.blob) {
      const by = names(b.blob) || names(got) || 'an entry';
      broken.push([Number((/\d+/.exec(by) || [Infinity])[0]), `A text that ${by} names was changed: it does not match its hash.`]);
    }
    blobs.set(b.blob, b.text === undefined ? '(not text)' : b.text);
  }
  if (broken.length) throw new Broken(broken.sort((a, b) => a[0] - b[0])[0][1]);
  if (last !== head.head) throw new Broken(`The head that the file names is not that of its last entry, ${head.entries} (${entries.length ? entries[entries.length - 1].kind : 'none'}).`);
  const end = lines[head.entries + head.blobs + 1] || '';
  const whole = lines.slice(0, head.entries + head.blobs + 1).join('\n') + '\n';
  if (lines.length !== head.entries + head.blobs + 3 || end !== `{"sha256":"${hashOf(whole)}"}`) throw new Broken('The file was cut off, or its first or last line was changed.');
  return {head, entries, blobs};
}

// visible marks characters that would be invisible or would reorder text.
const hidden = /(?![\n\t\u200c\u200d])[\u0000-\u001f\u007f-\u009f\u00ad\p{Cf}\u2028\u2029\ufdd0-\ufdef\ufe00-\ufe0d\u{e0100}-\u{e01ef}]/gu;
const visible = text => String(text).replace(hidden, c => '[U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + ']');

// node makes an element. Strings become text, never markup.
function node(tag, attributes, ...children) {
  const n = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) n.setAttribute(name, value);
  for (const c of children) if (c !== null && c !== undefined) n.append(typeof c === 'object' ? c : visible(c));
  return n;
}

function valueNode(value) {
  if (value && value.$conflict) return node('div', {}, 'In conflict:', node('ul', {}, ...value.$conflict.map(c => node('li', {}, c.agent + ': ', valueNode(c.value)))));
  if (Array.isArray(value)) return node('ul', {}, ...value.map(v => node('li', {}, valueNode(v))));
  if (value && typeof value === 'object') return node('ul', {}, ...Object.entries(value).map(([k, v]) => node('li', {}, k + ': ', valueNode(v))));
  return document.createTextNode(visible(value === true ? 'yes' : value === false ? 'no' : value));
}

// deltasIn returns the ids of deltas in the marks of a field.
function deltasIn(marks, found = []) {
  if (typeof marks === 'string') { if (!found.includes(marks)) found.push(marks); }
  else if (marks && typeof marks === 'object') for (const m of Object.values(marks)) deltasIn(m, found);
  return found;
}

// renew replaces all that the file shows by elements of this script: no other element, attribute or
// style of the file remains.
function renew(block) {
  const root = document.documentElement;
  const kept = [...document.querySelectorAll('meta[charset], meta[http-equiv="Content-Security-Policy"]')];
  const look = document.createElement('style');
  look.textContent = style;
  for (const a of [...root.attributes]) root.removeAttribute(a.name);
  root.setAttribute('lang', 'en');
  root.replaceChildren(
    node('head', {}, ...kept, node('meta', {name: 'viewport', content: 'width=device-width, initial-scale=1'}), node('meta', {name: 'color-scheme', content: 'light dark'}), node('title', {}, 'Research session'), look),
    node('body', {},
      node('main', {}, node('section', {id: 'verdict', role: 'status', 'aria-live': 'polite'}), node('div', {id: 'content'})),
      node('footer', {},
        node('p', {}, '“Proven” means: the hash chain of the journal holds, and every text has the hash that the journal names. All that this page shows is built from these bytes; whatever else the file contains is not shown. It does not repeat the merge, and it cannot protect against a changed script. Compare the head with one that you have from elsewhere.'),
        node('p', {}, 'Stronger: ', node('code', {}, 'brenner verify FILE'), ' accepts this file, does not run its script and reports every change to the page; ', node('code', {}, 'brenner session replay FILE'), ' repeats the merge.')),
      code, block));
}

function show({head, entries, blobs}) {
  const json = hash => { try { return JSON.parse(blobs.get(hash)); } catch { return null; } };
  const items = new Map(), stamps = new Map(), calls = new Map(), replies = new Map();
  let version = 0, opened = {};
  for (const e of entries) {
    const b = e.body;
    if (e.kind === 'session.opened') opened = b;
    if (e.kind === 'call.began') calls.set(b.call, b);
    if (e.kind === 'call.answered' && calls.has(b.call)) {
      const call = calls.get(b.call), key = call.round + ' ' + call.agent;
      replies.set(key, [...(replies.get(key) || []), e.seq]);
    }
    if (e.kind !== 'version.committed') continue;
    version = b.version;
    for (const c of b.changed || []) items.set(c.id, json(c.hash));
    for (const s of json(b.stamps) || []) stamps.set(s.id, {...s, seq: e.seq, round: b.round});
  }
  document.title = (opened.question || head.thread) + ' · ' + head.thread;
  const content = document.getElementById('content');
  content.append(node('h1', {}, opened.question || head.thread), node('p', {class: 'dim'}, `Session ${head.thread}, version ${version}, ${entries.length} entries, ${blobs.size} texts`,
    opened.rehearsal ? '. A rehearsal: scripted output, not real findings.' : ''));
  const author = id => {
    const s = stamps.get(id);
    if (!s) return node('span', {}, id);
    const span = node('span', {}, s.agent + ', ', node('a', {href: '#entry-' + s.seq}, 'version ' + s.version));
    for (const seq of replies.get(s.round + ' ' + s.agent) || []) span.append(', ', node('a', {href: '#entry-' + seq}, 'reply'));
    span.append(' ', node('span', {class: 'id'}, id));
    return span;
  };
  for (const section of sections) {
    const own = [...items.values()].filter(i => i && (section.prefix ? new RegExp('^' + section.prefix + '[0-9]+$').test(i.content.id) : false))
      .sort((a, b) => parseInt(a.content.id.replace(/\D/g, '') || 0, 10) - parseInt(b.content.id.replace(/\D/g, '') || 0, 10));
    if (section.id === 'research_thread' && items.get(section.prefix)) own.unshift(items.get(section.prefix));
    content.append(node('h2', {id: section.id}, section.title));
    if (!own.length) content.append(node('p', {class: 'dim'}, section.empty));
    for (const {content: item, marks} of own) {
      const article = node('article', {class: item.killed ? 'killed' : '', id: 'item-' + item.id}, node('h3', {}, item.id + (item.name && typeof item.name === 'string' ? ': ' + item.name : '')));
      if (item.killed) article.append(node('p', {class: 'kill'}, `Killed by ${item.killed_by}, ${item.killed_at}: ${item.kill_reason}`));
      const titles = new Map(section.fields);
      for (const name of new Set([...titles.keys(), ...Object.keys(item)])) {
        const value = item[name];
        if (value === undefined || name === 'name' && typeof value === 'string' || ['id', 'killed', 'killed_by', 'killed_at', 'kill_reason', 'withheld'].includes(name)) continue;
        const by = node('div', {class: 'by'});
        deltasIn((marks.fields || {})[name]).forEach((id, i) => by.append(i ? '; ' : '', author(id)));
        article.append(node('div', {class: 'field'}, node('div', {class: 'name'}, titles.get(name) || name.replaceAll('_', ' ')), node('div', {class: 'value'}, valueNode(value)), by));
      }
      content.append(article);
    }
  }
  content.append(node('h2', {id: 'journal'}, 'Journal'));
  const fill = (details, e) => {
    if (details.childElementCount > 1) return;
    details.append(node('p', {class: 'id dim'}, e.hash), node('pre', {tabindex: 0}, JSON.stringify(e.body, null, 1)));
    for (const hash of new Set(JSON.stringify(e.body).match(/[0-9a-f]{64}/g) || [])) {
      if (blobs.has(hash)) details.append(node('p', {class: 'id dim'}, 'text ' + hash), node('pre', {tabindex: 0}, blobs.get(hash)));
    }
  };
  const all = [];
  for (const e of entries) {
    const who = e.body.agent || (calls.get(e.body.call) || {}).agent || e.body.author || '';
    const details = node('details', {class: 'entry', id: 'entry-' + e.seq}, node('summary', {}, `${e.seq} ${e.kind}, ${e.at.slice(0, 19).replace('T', ' ')}${who ? ', ' + who : ''}`));
    details.addEventListener('toggle', () => { if (details.open) fill(details, e); });
    all.push([details, e]);
    content.append(details);
  }
  const open = () => { const d = document.getElementById(location.hash.slice(1)); if (d && d.tagName === 'DETAILS') d.open = true; };
  addEventListener('hashchange', open);
  open();
  addEventListener('beforeprint', () => { for (const [details, e] of all) { fill(details, e); details.open = true; } });
}

function say(kind, title, ...texts) {
  const verdict = document.getElementById('verdict');
  verdict.className = kind;
  verdict.replaceChildren(node('h1', {}, title), ...texts.map(t => typeof t === 'string' ? node('p', {}, t) : t));
}

addEventListener('DOMContentLoaded', () => {
  const block = document.getElementById('export');
  renew(block);
  try {
    if (!block) throw new Broken('The file is cut off: it has no export.');
    const text = block.textContent.slice(1).replace(/\\(u003c|[^])/g, (all, what) => what === 'u003c' ? '<' : all);
    const checked = verify(text);
    show(checked);
    say('proven', 'Proven', `${checked.entries.length} entries and ${checked.blobs.size} texts match their hashes.`, node('p', {}, 'Head ', node('code', {id: 'head'}, checked.head.head)));
  } catch (err) {
    document.getElementById('content').replaceChildren();
    if (err instanceof Broken) say('broken', 'Not proven', err.message, 'Nothing of this file is shown.');
    else say('broken', 'Not verified', 'The file could not be checked: ' + err.message);
  }
});
})();
