// What pages do beyond htmx: show that the connection is lost, copy commands, and say on pages
// without a live part that the session has moved on. Everything else works without scripts.
(function () {
  "use strict";
  var lost = document.querySelector(".lost");
  document.body.addEventListener("htmx:sseError", function () { lost.hidden = false; document.body.dataset.live = "no"; });
  document.body.addEventListener("htmx:sseOpen", function () { lost.hidden = true; document.body.dataset.live = "yes"; });
  document.body.addEventListener("htmx:sseBeforeMessage", function (e) {
    if (e.target.id === "changed") { e.target.hidden = false; e.preventDefault(); } // the message is no HTML
  });
  var then = location.hash && document.getElementById(location.hash.slice(1));
  if (then && then.tagName === "BUTTON") { then.focus(); }
  if (!navigator.clipboard) { return; }
  function offer() {
    document.querySelectorAll("button.copy[hidden]").forEach(function (b) { b.hidden = false; });
  }
  offer();
  document.body.addEventListener("htmx:afterSwap", offer);
  document.body.addEventListener("click", function (e) {
    var b = e.target.closest("button.copy");
    if (!b) { return; }
    navigator.clipboard.writeText(b.dataset.copy).then(function () {
      b.textContent = "Copied";
      setTimeout(function () { b.textContent = "Copy"; }, 1500);
    });
  });
})();
