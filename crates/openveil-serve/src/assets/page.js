"use strict";
// The pages work without this, but for uploads: it saves a form as it is filled in, shows progress
// as it comes, and takes files that are dropped.

// Where all addresses begin.
const root = new URL("..", document.currentScript.src).pathname;

// While something is pressed, nothing is moved from under it.
let pressed = false;
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => { pressed = false; }, 50), true);

// What the server answers takes the place of what is shown; the keyboard stays where it was.
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

// Every change is sent; what changes while an answer is on its way is sent after it, as a change
// of what the answer made of the policy. A button that is pressed meanwhile waits for it.
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
      // What is refused is shown, and not sent again as if it had been seen.
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

// What is dragged onto a branch goes into it, as if it were chosen and the branch were named.
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
