// --- the paper's family of tables (section 6.1), and which settings of the sliders are possible ---
const PARAMETERS = Object.keys(DATA.parameters);
const NEW_EPSILON2 = 0.1;

// The parameters in which two settings differ.
const differing = (a, b) => PARAMETERS.filter((name) => a[name] !== b[name]);

// What each owner gets, in order: the things left per owner left, rounded up.
function deal(things, owners) {
  const hands = [];
  let first = 0;
  for (let left = owners; left > 0; left--) {
    const take = Math.ceil((things - first) / left);
    hands.push(Array.from({ length: take }, (_, i) => first + i));
    first += take;
  }
  return hands;
}

// The useful clusters that belong to each class.
function clustersOfClasses({ classes, useful }) {
  if (classes <= useful) return deal(useful, classes);
  const owned = [];
  deal(classes, useful).forEach((members, k) => members.forEach((c) => { owned[c] = [k]; }));
  return owned;
}

// Expected counts n p(c,k): useful clusters first, then noise.
function expectedCounts(state) {
  const { classes, useful, noise, epsilon1, epsilon2, n } = state;
  return clustersOfClasses(state).map((own) => {
    const shares = Array(useful + noise).fill(noise ? epsilon2 / noise : 0);
    for (let k = 0; k < useful; k++) {
      shares[k] = own.includes(k)
        ? Math.max(0, 1 - epsilon1 - epsilon2) / own.length
        : epsilon1 / (useful - own.length);
    }
    return shares.map((share) => (share / classes) * n);
  });
}

// The nearest possible setting, once one slider has moved: the others give way.
function settle(state, moved) {
  const next = { ...state };
  if (moved === "epsilon2" && next.epsilon2 > 0 && next.noise === 0) next.noise = 1;
  if (moved === "noise" && next.noise > 0 && next.epsilon2 === 0) next.epsilon2 = NEW_EPSILON2;
  if (next.noise === 0 || next.epsilon2 === 0) next.noise = next.epsilon2 = 0;
  // Errors need another useful cluster to go to.
  if (Math.ceil(next.useful / next.classes) === next.useful) next.epsilon1 = 0;
  const other = moved === "epsilon1" ? "epsilon2" : "epsilon1";
  if (next.epsilon1 + next.epsilon2 > 1) {
    const kept = moved === "epsilon1" ? next.epsilon1 : next.epsilon2;
    next[other] = Math.floor(100 * (1 - kept) + 1e-9) / 100;
  }
  return next;
}

const isPossible = (state) => differing(settle(state), state).length === 0;
