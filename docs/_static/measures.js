// The picker of "Which measure should I use?" and the filter of the index of measures.
"use strict";

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, attributes);
  made.append(...children);
  return made;
}

function link(name) {
  return element("a", { href: `../reference/measures/${name}.html` }, element("code", { textContent: name }));
}

function showPicker(place, data) {
  const answer = element("div", { className: "picker-answer" });
  const status = element("p", { role: "status" });
  status.setAttribute("aria-live", "polite");
  const form = element("form", { className: "picker-form" });
  for (const [group, wishes] of Object.entries(data.groups)) {
    const ticks = wishes.map((words) =>
      element("label", {}, element("input", { type: "checkbox", value: words }), ` ${words}`));
    form.append(element("fieldset", {}, element("legend", { textContent: group }), ...ticks));
  }
  const many = element("input", { type: "checkbox" });
  form.append(
    element("label", { className: "picker-many" }, many, " I have many objects: go by the trials with 189,000"),
    element("button", { type: "reset", textContent: "Untick all" }));
  const update = () => {
    const wanted = [...form.querySelectorAll("fieldset :checked")].map((tick) => tick.value);
    const lacks = many.checked ? "lacksWithMany" : "lacks";
    const measures = data.measures.map((one) => ({ ...one, lacks: one[lacks] }));
    answer.replaceChildren(...answerTo(wanted, measures, status));
  };
  form.addEventListener("change", update);
  form.addEventListener("reset", () => setTimeout(update));
  place.append(form, status, answer);
  update();
}

function answerTo(wanted, measures, status) {
  if (!wanted.length) {
    status.textContent = `Tick what matters to you. There are ${measures.length} measures.`;
    return [];
  }
  const judged = measures.map((one) => ({ ...one, missing: wanted.filter((words) => words in one.lacks) }));
  const fewest = Math.min(...judged.map((one) => one.missing.length));
  const near = judged.filter((one) => one.missing.length === fewest);
  const rest = judged.filter((one) => one.missing.length > fewest);
  const parts = [];
  if (fewest === 0) {
    const groups = {};
    for (const one of near) (groups[one.near] ??= []).push(one);
    const rankings = Object.values(groups);
    status.textContent = `${near.length === 1 ? "1 measure has" : `${near.length} measures have`} all of it, in ${
      rankings.length === 1 ? "1 ranking" : `${rankings.length} rankings`}:`;
    parts.push(element("ul", {}, ...rankings.map(([first, ...others]) =>
      element("li", {}, link(first.name), ` ${first.summary}`,
        ...alike(" Ranks as ", others.filter((one) => one.formula === first.formula)),
        ...alike(" Ranks nearly as ", others.filter((one) => one.formula !== first.formula))))));
  } else {
    status.textContent = `No measure has all of it. These lack ${fewest === 1 ? "one property" : fewest + " properties"}:`;
    parts.push(reasons(near));
  }
  if (rest.length) {
    parts.push(element("details", {},
      element("summary", { textContent: `${rest.length} ruled out, and why` }), reasons(rest)));
  }
  return parts;
}

function alike(words, measures) {
  const links = measures.flatMap((one, i) => [i ? ", " : words, link(one.name)]);
  return links.length ? [...links, "."] : [];
}

function reasons(measures) {
  return element("ul", {}, ...measures.map((one) => {
    const why = new Set(one.missing.map((words) => one.lacks[words]));
    return element("li", {}, link(one.name), ` ${[...why].join("; ")}`);
  }));
}

function showFilter(place) {
  const input = place.querySelector("input");
  const rows = [...document.querySelectorAll(".measure-list tbody tr")];
  place.hidden = false;
  input.addEventListener("input", () => {
    const word = input.value.trim().toLowerCase();
    // From the start of a word: "metric" is not meant to find "symmetric".
    for (const row of rows) row.hidden = !` ${row.textContent.toLowerCase().replace(/[\s(_`]+/g, " ")}`.includes(` ${word.replace(/_/g, " ")}`);
    for (const list of document.querySelectorAll("section:has(> .measure-list)")) {
      list.hidden = !list.querySelector("tbody tr:not([hidden])");
    }
    const left = rows.filter((row) => !row.hidden).length;
    place.querySelector("output").textContent = word ? `${left} of ${rows.length}` : "";
  });
}

const pickerPlace = document.querySelector(".picker");
if (pickerPlace) {
  showPicker(pickerPlace, JSON.parse(document.getElementById("picker-data").textContent));
  document.querySelector(".picker-list").open = false;
}
const filterPlace = document.querySelector(".measure-filter");
if (filterPlace) showFilter(filterPlace);
