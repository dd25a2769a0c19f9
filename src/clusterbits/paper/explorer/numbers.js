// --- sums, and logarithms that keep their digits ---
const BITS_PER_NAT = 1 / Math.LN2;

const sum = (values) => values.reduce((total, value) => total + value, 0);
const sumOfSquares = (values) => sum(values.map((value) => value * value));

// Nats that single a part out of its whole: part ln(whole / part), exactly 0 where they are equal.
const surprise = (part, whole) => part * Math.log1p(Math.max(whole - part, 0) / part);

// log2 C(m + r, r) for real m: the product of 1 + m/j for j = 1 ... r, so that no factorials cancel.
function log2Choose(m, r) {
  const logarithms = [];
  for (let j = 1; j <= r; j++) logarithms.push(Math.log1p(m / j));
  return sum(logarithms) * BITS_PER_NAT;
}

// E[x ln(n x / (a b))] for x objects that a class of a and a cluster of b share by chance. The
// probabilities are products of ratios, outwards from the mode; their sum gives the scale.
function expectedGain(a, b, n) {
  const mode = Math.floor(((a + 1) * (b + 1)) / (n + 2));
  const weights = [], gains = [];
  const add = (x, weight) => {
    weights.push(weight);
    if (x > 0) gains.push(weight * x * Math.log((n * x) / (a * b)));
  };
  add(mode, 1);
  for (let x = mode, weight = 1; x < Math.min(a, b); x++) {
    weight *= ((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1));
    if (weight < 1e-20) break;
    add(x + 1, weight);
  }
  for (let x = mode, weight = 1; x > Math.max(0, a + b - n); x--) {
    weight *= (x * (n - a - b + x)) / ((a - x + 1) * (b - x + 1));
    if (weight < 1e-20) break;
    add(x - 1, weight);
  }
  return sum(gains) / sum(weights);
}
