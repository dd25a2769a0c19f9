// --- Dom's desiderata (section 6.2): what two settings of the sliders demand of a measure ---
const TIE = 1e-12;

// Of two settings that differ in the number of useful clusters, the lower one first: `concerns` in
// clusterbits/paper/cards/dom.py. The other desiderata concern all steps of their parameter.
const CONCERNS = {
  "P1.1": (_, after) => after.useful <= after.classes,
  "P1.2": (before) => before.useful >= before.classes,
};

// The desideratum that compares two settings; undefined where none does.
function findDesideratum(a, b) {
  const [parameter, ...others] = differing(a, b);
  if (!parameter || others.length) return undefined;
  const [low, high] = a[parameter] < b[parameter] ? [a, b] : [b, a];
  return DATA.desiderata.find((each) => (
    each.parameter === parameter && (CONCERNS[each.name]?.(low, high) ?? true)));
}

// By how much the second value is better; 0 for a tie.
function gain(measure, before, after) {
  if (Math.abs(after - before) <= TIE * Math.max(1, Math.abs(before), Math.abs(after))) return 0;
  return measure.better === "higher" ? after - before : before - after;
}

// Whether two tables have the same classes: bits of others do not compare.
function sameClasses(a, b) {
  return a.classSizes.length === b.classSizes.length
    && a.classSizes.every((size, c) => Math.abs(size - b.classSizes[c]) <= 1e-9 * size);
}

// What each measure says of a step: "right", "wrong" or "tie" where a desideratum decides, else
// "better", "worse" or "same"; nothing where it is not defined, or the classes are others.
function judgeStep(step, desideratum) {
  const verdicts = {};
  if (!sameClasses(step.before.table, step.after.table)) return verdicts;
  for (const measure of DATA.measures) {
    const [before, after] = [step.before, step.after].map((end) => end.values[measure.name]);
    if (before === null || after === null) continue;
    const change = gain(measure, before, after);
    if (!desideratum) {
      verdicts[measure.name] = change > 0 ? "better" : change < 0 ? "worse" : "same";
      continue;
    }
    const { parameter, demand } = desideratum;
    const rises = step.before.state[parameter] < step.after.state[parameter];
    const hoped = (demand === "better") === rises ? change : -change;
    verdicts[measure.name] = change === 0 ? "tie" : hoped > 0 ? "right" : "wrong";
  }
  return verdicts;
}

const LIST = new Intl.ListFormat("en-GB"); // a, b and c

// Who gets it wrong, in a sentence.
function tellVerdicts(verdicts) {
  const saying = (verdict) => DATA.measures.filter((each) => verdicts[each.name] === verdict)
    .map((each) => each.label);
  const [wrong, ties, right] = ["wrong", "tie", "right"].map(saying);
  const verb = (words, one, many) => `${LIST.format(words)} ${words.length === 1 ? one : many}`;
  const parts = [];
  if (wrong.length) parts.push(verb(wrong, "says the opposite", "say the opposite"));
  if (ties.length) parts.push(verb(ties, "sees no difference", "see no difference"));
  if (!parts.length) return `All ${right.length} measures see that.`;
  if (right.length) parts.push(`the other ${right.length} see${right.length === 1 ? "s" : ""} it`);
  const text = parts.join("; ");
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

// What the step shows: a heading, and a sentence or two.
function tellStep(step, desideratum, verdicts) {
  const { before, after } = step;
  if (after.edited) {
    return ["Your own table", sameClasses(before.table, after.table)
      ? "Compared with the sliders' table. No desideratum speaks of it."
      : "Its classes are not those of the sliders' table: the values are shown, but do not compare."];
  }
  const moved = differing(before.state, after.state);
  if (!moved.length) {
    return ["Move a slider", "Here you read which measures get it right: from where the slider stood to where it stands."];
  }
  if (desideratum) {
    return [`${desideratum.name}: the score should be ${desideratum.meaning}.`, tellVerdicts(verdicts)];
  }
  if (moved.includes("useful")) {
    return ["P1 has two sides", "Up to the number of classes more clusters should be better, beyond it worse: compare two settings on one side."];
  }
  return ["Nothing is demanded here", "The desiderata compare clusterings of the same classes and objects."];
}
