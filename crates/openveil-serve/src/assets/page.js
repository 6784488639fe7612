"use strict";
// Except for uploads, the pages work without this script. It saves a form while it is filled in,
// shows progress, and accepts dropped files.

// The beginning of all addresses.
const root = new URL("..", document.currentScript.src).pathname;

// While a control is pressed, the page does not change under it.
let pressed = false;
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => { pressed = false; }, 50), true);

// Replaces the shown page by the server's answer, and keeps the focus.
async function show(page) {
  while (pressed) await new Promise((later) => setTimeout(later, 20));
  const here = document.activeElement && document.activeElement.id;
  const from = new DOMParser().parseFromString(page, "text/html").querySelector("main");
  const open = [...document.querySelectorAll("main details")].map((one) => one.open);
  document.querySelector("main").replaceWith(from);
  document.querySelectorAll("main details").forEach((one, index) => { one.open = one.open || open[index]; });
  const again = here && document.getElementById(here);
  if (again) again.focus();
  begin(from);
}

// Sends every change. A change during a request is sent after its answer, based on the policy in
// the answer. A button that is pressed meanwhile waits for it.
function saves(form) {
  let changed = false;
  let busy = false;
  let button = null;
  const save = async () => {
    let answer = null;
    let page = "";
    while (changed) {
      changed = false;
      const data = new URLSearchParams(new FormData(form));
      data.set("saved", "1");
      answer = await fetch(form.action, { method: "POST", body: data });
      page = await answer.text();
      // A refused change is shown, and not sent again.
      if (!answer.ok) return show(page);
      const version = page.match(/name="version" value="(\d+)"/);
      if (version) form.elements.version.value = version[1];
    }
    busy = false;
    if (button) form.requestSubmit(button);
    else await show(page);
  };
  form.addEventListener("change", () => {
    changed = true;
    if (busy) return;
    busy = true;
    save().catch(() => location.reload());
  });
  form.addEventListener("submit", (event) => {
    if (!busy) return;
    event.preventDefault();
    button = event.submitter || form.querySelector("button");
  });
}

function slides(range) {
  const output = range.parentElement.querySelector(`output[for="${range.id}"]`);
  const tell = () => {
    output.textContent = range.dataset.sentence.replace("{l}", range.value);
    range.setAttribute("aria-valuetext", output.textContent);
  };
  range.addEventListener("input", tell);
  tell();
}

function uploads(form) {
  const file = form.querySelector("input[type=file]");
  const sent = document.getElementById("sent");
  const problem = document.getElementById("upload-problem");
  const send = (chosen) => {
    if (!chosen) return;
    const request = new XMLHttpRequest();
    problem.textContent = "";
    sent.hidden = false;
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) sent.value = event.loaded / event.total; });
    const failed = (why) => { sent.hidden = true; problem.textContent = form.dataset.failed + why; };
    request.addEventListener("load", () => (request.status < 300 ? location.assign(root) : failed(request.responseText)));
    request.addEventListener("error", () => failed(""));
    request.open("PUT", root + "upload?" + new URLSearchParams({ name: chosen.name }));
    request.send(chosen);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  file.addEventListener("change", () => send(file.files[0]));
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => { event.preventDefault(); form.classList.remove("over"); send(event.dataTransfer.files[0]); });
}

function progresses(section) {
  const events = new EventSource(root + "progress");
  const stage = section.querySelector("#stage");
  const bar = section.querySelector("#bar");
  events.addEventListener("message", (event) => {
    const seen = JSON.parse(event.data);
    if (!seen) return;
    if (stage.textContent !== seen.stage) stage.textContent = seen.stage;
    if (seen.total) bar.value = Math.min(1, seen.done / seen.total); else bar.removeAttribute("value");
  });
  events.addEventListener("end", () => { events.close(); location.reload(); });
}

function reads(file) {
  file.addEventListener("change", async () => {
    if (file.files[0]) document.getElementById(file.dataset.into).value = await file.files[0].text();
  });
}

// Dragging a node onto a branch is like choosing the node and naming the branch.
function drags(tree) {
  let dragged = null;
  const branch = (event) => event.target.closest && event.target.closest("li[data-branch]");
  tree.addEventListener("dragstart", (event) => { dragged = event.target; });
  tree.addEventListener("dragover", (event) => { if (branch(event)) event.preventDefault(); });
  tree.addEventListener("drop", (event) => {
    const into = branch(event);
    if (!into || !dragged || dragged.contains(into)) return;
    event.preventDefault();
    dragged.querySelector("input[name=node]").checked = true;
    document.getElementById("label").value = into.dataset.branch;
    document.getElementById("group").click();
  });
}

function begin(main) {
  main.querySelectorAll("form[data-saves]").forEach(saves);
  main.querySelectorAll("input[data-sentence]").forEach(slides);
  main.querySelectorAll("#upload").forEach(uploads);
  main.querySelectorAll("#tree").forEach(drags);
  main.querySelectorAll("#progress").forEach(progresses);
  main.querySelectorAll("input[data-into]").forEach(reads);
}

begin(document.querySelector("main"));
