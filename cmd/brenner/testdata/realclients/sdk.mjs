// Uses a mail server through the TypeScript SDK, in the era given by MODE, and checks what it answers.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { URL: url, TOKEN, PROJECT, MODE, CLIENTS } = process.env;
const found = createRequire(CLIENTS + "/").resolve("@modelcontextprotocol/client");
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(found));

const client = new Client({ name: "trial", version: "1" }, { versionNegotiation: { mode: MODE === "legacy" ? "legacy" : { pin: MODE } } });
const headers = { Authorization: "Bearer " + TOKEN };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
assert(tools.every((t) => t.outputSchema), "a tool without an output schema");
// The client checks structured content against the output schema.
const sent = await client.callTool({
  name: "send_message",
  arguments: { project_key: PROJECT, sender_name: "BlueLake", to: ["RedSky"], subject: "INFO: ts", body_md: "from ts", thread_id: "TH-ts-" + MODE.slice(0, 6) },
});
assert.equal(sent.structuredContent.count, 1);
const wrong = await client.callTool({ name: "fetch_inbox", arguments: { project_key: PROJECT, agent_nam: "BlueLake" } });
assert(wrong.isError && wrong.content[0].text.includes("agent_name"), JSON.stringify(wrong));
const { resources } = await client.listResources();
assert(resources.length > 0, "no resources");
for (const r of resources) {
  JSON.parse((await client.readResource({ uri: r.uri })).contents[0].text);
}
assert((await client.listResourceTemplates()).resourceTemplates.length > 0);
assert((await client.getPrompt({ name: "work-by-mail" })).messages[0].content.text.includes("BlueLake"));
await assert.rejects(client.readResource({ uri: "resource://nothing/x" }), { code: -32602 });
await assert.rejects(client.complete({ ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "b" } }));
console.log("ok", MODE, tools.length, resources.length);
await client.close();
