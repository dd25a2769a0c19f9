// --- a table of counts, and every measure of it; the same formulas as the Python package ---

// Classes and clusters without objects are left out. Whole counts have pairs of objects, expected
// ones expectations over pairs.
function makeTable(counts, whole) {
  const rows = counts.filter((row) => sum(row) > 0);
  const columns = counts[0].map((_, k) => k).filter((k) => sum(rows.map((row) => row[k])) > 0);
  const kept = rows.map((row) => columns.map((k) => row[k]));
  const cells = kept.flatMap((row, c) => row.map((count, k) => ({ c, k, count })))
    .filter((cell) => cell.count > 0);
  const n = sum(cells.map((cell) => cell.count));
  // One group is all objects, to the last digit.
  const sizes = (groups) => (groups.length === 1 ? [n] : groups.map(sum));
  const classSizes = sizes(kept);
  const clusterSizes = sizes(columns.map((_, k) => kept.map((row) => row[k])));
  const table = { classSizes, clusterSizes, cells, n, whole };
  table.isPerfect = cells.length === classSizes.length && cells.length === clusterSizes.length;
  return { ...table, ...entropies(table), ...codeLengths(table), pairs: countPairs(table) };
}

// Whether Python would read these counts as whole objects.
const areWhole = (counts) => counts.flat().every(Number.isInteger);

// Bits per object.
function entropies({ cells, classSizes, clusterSizes, n }) {
  const mean = (nats) => (sum(nats) / n) * BITS_PER_NAT;
  const entropy = (sizes) => mean(sizes.map((size) => surprise(size, n)));
  const classEntropy = entropy(classSizes);
  const labelBits = mean(cells.map(({ k, count }) => surprise(count, clusterSizes[k])));
  return {
    classEntropy,
    clusterEntropy: entropy(clusterSizes),
    labelBits, // H(C|K), equation (2)
    clusterBits: mean(cells.map(({ c, count }) => surprise(count, classSizes[c]))),
    information: Math.max(classEntropy - labelBits, 0),
  };
}

// Bits per object for the columns of the table: as it is, of perfect clusters, of one cluster, and
// of single objects.
function codeLengths({ classSizes, clusterSizes, n }) {
  const columnBits = (sizes) => sum(sizes.map((m) => log2Choose(m, classSizes.length - 1))) / n;
  return {
    tableBits: columnBits(clusterSizes), // equation (4)
    perfectBits: columnBits(classSizes),
    oneColumnBits: columnBits([n]),
    singleBits: log2Choose(1, classSizes.length - 1),
  };
}

function countPairs({ cells, classSizes, clusterSizes, n, whole }) {
  // Up to one expected object there is no pair; shares of pairs remain.
  const total = whole || n > 1 ? (n * (n - 1)) / 2 : 1;
  const count = (sizes) => (whole
    ? (sumOfSquares(sizes) - n) / 2
    : total * (sumOfSquares(sizes) / n ** 2));
  return {
    total,
    both: count(cells.map((cell) => cell.count)),
    sameClass: count(classSizes),
    sameCluster: count(clusterSizes),
  };
}

// Objects outside the largest cell of their group.
function outsideLargest({ cells, n }, group, size) {
  if (cells.length === size) return 0;
  const largest = Array(size).fill(0);
  for (const cell of cells) largest[cell[group]] = Math.max(largest[cell[group]], cell.count);
  return n - sum(largest);
}

const informationByChance = ({ classSizes, clusterSizes, n }) => (BITS_PER_NAT / n)
  * sum(classSizes.flatMap((a) => clusterSizes.map((b) => expectedGain(a, b, n))));

// The share of an entropy that is told; all of it where nothing is left to tell.
const toldShare = (table, left, entropy) => (left === 0 || entropy === 0
  ? 1 : Math.min(table.information / entropy, 1));

const q0 = (table) => table.labelBits + table.tableBits;
// All objects together, or each alone: whichever is less.
const noClusters = (t) => Math.min(t.classEntropy + t.oneColumnBits, t.singleBits);

const MEASURES = {
  q0,
  share_saved(t) {
    if (t.isPerfect) return 1;
    const room = noClusters(t) - t.perfectBits;
    if (room <= 1e-14 * noClusters(t)) return 0;
    const saved = Math.min(t.information + t.oneColumnBits, t.singleBits - t.labelBits) - t.tableBits;
    return Math.min(saved / room, 1);
  },
  q2(t) {
    if (t.classSizes.length === 1 || t.isPerfect) return 1;
    const highest = t.classEntropy + Math.log2(t.classSizes.length);
    return Math.max(0, (highest - q0(t)) / (highest - t.perfectBits));
  },
  adjusted_mutual_information(t) {
    if (t.isPerfect) return 1;
    if (t.classSizes.length === 1 || t.clusterSizes.length === 1) return 0;
    const chance = informationByChance(t);
    const ceiling = (t.classEntropy + t.clusterEntropy) / 2;
    if (Math.abs(ceiling - chance) <= 1e-14 * Math.max(ceiling, chance)) return 0;
    return Math.min((t.information - chance) / (ceiling - chance), 1);
  },
  v_measure(t) {
    const homogeneity = toldShare(t, t.labelBits, t.classEntropy);
    const completeness = toldShare(t, t.clusterBits, t.clusterEntropy);
    const both = homogeneity + completeness;
    return both > 0 ? (2 * homogeneity * completeness) / both : 0;
  },
  rand({ pairs: { total, both, sameClass, sameCluster } }) {
    return total ? (total + 2 * both - sameClass - sameCluster) / total : 1;
  },
  adjusted_rand(t) {
    if (t.isPerfect) return 1;
    const { total, both, sameClass, sameCluster } = t.pairs;
    const product = sameClass * sameCluster;
    const room = total * (sameClass + sameCluster) - 2 * product;
    return room ? (2 * (total * both - product)) / room : 0;
  },
  fowlkes_mallows(t) {
    if (t.isPerfect) return 1;
    const { both, sameClass, sameCluster } = t.pairs;
    return both ? Math.sqrt((both / sameClass) * (both / sameCluster)) : 0;
  },
  hubert_gamma(t) {
    if (t.isPerfect) return 1;
    const { total, both, sameClass, sameCluster } = t.pairs;
    const covariance = total * both - sameClass * sameCluster;
    const variances = [sameClass, sameCluster].map((same) => same * (total - same));
    if (Math.min(...variances) <= 0) return 0;
    return Math.sign(covariance)
      * Math.sqrt((covariance / variances[0]) * (covariance / variances[1]));
  },
  jaccard({ pairs: { both, sameClass, sameCluster } }) {
    const together = sameClass + sameCluster - both;
    return together ? both / together : 1;
  },
  hamming_similarity(t) {
    const outside = outsideLargest(t, "k", t.clusterSizes.length)
      + outsideLargest(t, "c", t.classSizes.length);
    return 1 - outside / (2 * t.n);
  },
};

// Every measure's value; null where it is not defined for expected counts.
function measureAll(table) {
  return Object.fromEntries(DATA.measures.map(({ name, whole }) => (
    [name, whole && !table.whole ? null : MEASURES[name](table)])));
}
