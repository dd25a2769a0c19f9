// Counting pairs of labels. The host side is clusterbits/ingest/cuda.py.
//
// A label is an unsigned integer of 1, 2, 4 or 8 bytes here, whatever its sign: differences are
// taken modulo 2^bits, so that a label is in the box of labels if its offset from the lowest is
// less than the size of the box. Pairs outside the box are counted in the cell after the last.
// Arrays are aligned to 16 bytes.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

extern __shared__ u32 own[];  // a block's counts

struct Box { u64 low_c, low_k; u32 height, width; };

template <typename T> __device__ __forceinline__ u32 find_key(T c, T k, T low_c, T low_k, u32 height, u32 width) {
    T row = c - low_c, column = k - low_k;
    return row < height && column < width ? (u32)row * width + (u32)column : height * width;
}

// Reads 16 bytes, which will not be needed again.
template <typename T, int V> __device__ __forceinline__ void read(const T* from, u64 place, T (&labels)[V]) {
    union { uint4 whole; T parts[V]; } both;
    both.whole = __ldcs((const uint4*)from + place);
#pragma unroll
    for (int i = 0; i < V; i++) labels[i] = both.parts[i];
}

// --- tables that fit into shared memory: each block counts by itself ------------------------------

template <typename T> __device__ __forceinline__ void count_in_shared(
        const T* c, const T* k, u64 n, Box box, u64* table) {
    constexpr int V = 16 / sizeof(T), U = sizeof(T) < 4 ? 1 : 4;  // U reads of V labels are under way
    const u32 cells = box.height * box.width + 1;
    const T low_c = (T)box.low_c, low_k = (T)box.low_k;
    for (u32 i = threadIdx.x; i < cells; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const u64 step = (u64)gridDim.x * blockDim.x, reads = n / V;
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + (U - 1) * step < reads; i += U * step) {
        T a[U][V], b[U][V];
#pragma unroll
        for (int u = 0; u < U; u++) {
            read<T, V>(c, i + u * step, a[u]);
            read<T, V>(k, i + u * step, b[u]);
        }
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int v = 0; v < V; v++)
                atomicAdd(own + find_key<T>(a[u][v], b[u][v], low_c, low_k, box.height, box.width), 1u);
    }
    // What is left: less than U reads for each thread, and at the very end less than one.
    for (u64 j = i * V; j < reads * V; j += step * V)
        for (int v = 0; v < V; v++)
            atomicAdd(own + find_key<T>(c[j + v], k[j + v], low_c, low_k, box.height, box.width), 1u);
    if (blockIdx.x == 0 && threadIdx.x < n - reads * V) {
        const u64 j = reads * V + threadIdx.x;
        atomicAdd(own + find_key<T>(c[j], k[j], low_c, low_k, box.height, box.width), 1u);
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < cells; j += blockDim.x)
        if (own[j]) atomicAdd(table + j, (u64)own[j]);
}

// --- larger tables: keys are sorted into buckets of 2^bits cells, and each bucket fits -------------

#define BUCKETS 128
#define THREADS 512
#define PER_THREAD 16
#define TILE (THREADS * PER_THREAD)
#define COPIES (THREADS / BUCKETS)  // of a bucket's counter: lanes that use the same one wait for each other
#define NO_PAIR 0xffffffffu

// Writes the keys of each tile in the order of their buckets to `keys`, less the bucket's first key,
// and where bucket b begins in tile t to starts[b * tiles + t]. Adds the size of each to `sizes`.
template <typename T> __device__ __forceinline__ void sort_into_buckets(
        const T* c, const T* k, u32 n, Box box, u32 bits, u16* keys, u16* starts, u32* sizes) {
    constexpr int V = 16 / sizeof(T);
    __shared__ u32 counts[THREADS], begins[THREADS + 1], sums[THREADS / 32];
    __shared__ __align__(16) u16 sorted[TILE];
    const T low_c = (T)box.low_c, low_k = (T)box.low_k;
    const u32 tiles = (n + TILE - 1) / TILE, buckets = (box.height * box.width >> bits) + 1;
    const u32 me = threadIdx.x, lane = me % 32, copy = me % COPIES;
    u32 size = 0;  // of bucket `me`, in all tiles of this block
    for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        counts[me] = 0;
        u32 found[PER_THREAD], ranks[PER_THREAD];
        const u32 first = tile * (TILE / V) + me;  // in reads
#pragma unroll
        for (int r = 0; r < PER_THREAD / V; r++) {
            const u32 place = first + r * THREADS;
            const bool whole = (place + 1) * V <= n;
            T a[V], b[V];
            if (whole) {
                read<T, V>(c, place, a);
                read<T, V>(k, place, b);
            }
#pragma unroll
            for (int v = 0; v < V; v++) {
                const u32 at = place * V + v;
                if (!whole && at < n) { a[v] = c[at]; b[v] = k[at]; }
                found[r * V + v] = at < n ? find_key<T>(a[v], b[v], low_c, low_k, box.height, box.width) : NO_PAIR;
            }
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < PER_THREAD; j++)
            if (found[j] != NO_PAIR) ranks[j] = atomicAdd(counts + (found[j] >> bits) * COPIES + copy, 1u);
        __syncthreads();
        // Sums of the counts before each: first within a warp, then of the warps before.
        u32 through = counts[me];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const u32 other = __shfl_up_sync(0xffffffffu, through, d);
            if (lane >= d) through += other;
        }
        if (lane == 31) sums[me / 32] = through;
        __syncthreads();
        for (u32 warp = 0; warp < me / 32; warp++) through += sums[warp];
        begins[me + 1] = through;
        if (me == 0) begins[0] = 0;
        __syncthreads();
        if (me <= buckets) starts[(u64)me * tiles + tile] = (u16)begins[me * COPIES];
        if (me < buckets) size += begins[(me + 1) * COPIES] - begins[me * COPIES];
#pragma unroll
        for (int j = 0; j < PER_THREAD; j++)
            if (found[j] != NO_PAIR)
                sorted[begins[(found[j] >> bits) * COPIES + copy] + ranks[j]] = (u16)(found[j] & ((1u << bits) - 1));
        __syncthreads();
        uint4* to = (uint4*)(keys + (u64)tile * TILE);
        for (u32 i = me; i < TILE / 8; i += THREADS) to[i] = ((const uint4*)sorted)[i];
        __syncthreads();
    }
    if (size) atomicAdd(sizes + me, size);
}

#define TILES_AT_ONCE 4
#define COST_OF_PART 128  // a tile's part of a bucket takes as long to find as so many keys to count

// Counts those of 8 keys that are from `from` to `to`.
__device__ __forceinline__ void count_eight(uint4 keys, u32 place, u32 from, u32 to) {
    union { uint4 whole; u16 parts[8]; } both;
    both.whole = keys;
#pragma unroll
    for (u32 j = 0; j < 8; j++)
        if (place * 8 + j - from < to - from) atomicAdd(own + both.parts[j], 1u);
}

__device__ __forceinline__ u64 find_cost(u32 size, u32 tiles) { return size ? (u64)COST_OF_PART * tiles + size : 0; }

// Blocks are shared out among the buckets by their cost. Each warp takes some tiles' parts of a bucket.
extern "C" __global__ void __launch_bounds__(1024) count_buckets(
        const u16* keys, const u16* starts, const u32* sizes, u32 n, u32 bits, u32 cells, u64* table) {
    const u32 tiles = (n + TILE - 1) / TILE, buckets = ((cells - 1) >> bits) + 1, blocks = gridDim.x - buckets;
    u64 cost = 0;
    for (u32 i = 0; i < buckets; i++) cost += find_cost(sizes[i], tiles);
    u32 bucket = 0, share = blockIdx.x, shares;
    for (;; bucket++) {
        if (bucket == buckets) return;
        shares = (find_cost(sizes[bucket], tiles) * blocks + cost - 1) / cost;
        if (share < shares) break;
        share -= shares;
    }
    const u32 size = 1u << bits, lane = threadIdx.x % 32;
    for (u32 i = threadIdx.x; i < size; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const u32 warps = shares * (blockDim.x / 32), warp = share * (blockDim.x / 32) + threadIdx.x / 32;
    for (u32 first = warp * TILES_AT_ONCE; first < tiles; first += warps * TILES_AT_ONCE) {
        u32 begin = 0, end = 0;
        if (lane < TILES_AT_ONCE && first + lane < tiles) {
            begin = starts[(u64)bucket * tiles + first + lane];
            end = starts[(u64)(bucket + 1) * tiles + first + lane];
        }
        const uint4* eights = (const uint4*)keys + (u64)first * (TILE / 8);
        uint4 some[TILES_AT_ONCE];
#pragma unroll
        for (u32 t = 0; t < TILES_AT_ONCE; t++) {
            const u32 low = __shfl_sync(0xffffffffu, begin, t), high = __shfl_sync(0xffffffffu, end, t);
            const u32 place = low / 8 + lane;
            if (place * 8 < high) some[t] = __ldcs(eights + t * (TILE / 8) + place);
        }
#pragma unroll
        for (u32 t = 0; t < TILES_AT_ONCE; t++) {
            const u32 low = __shfl_sync(0xffffffffu, begin, t), high = __shfl_sync(0xffffffffu, end, t);
            const u32 place = low / 8 + lane;
            if (place * 8 < high) count_eight(some[t], place, low, high);
        }
#pragma unroll 1
        for (u32 t = 0; t < TILES_AT_ONCE; t++) {  // parts of more than 32 reads
            const u32 low = __shfl_sync(0xffffffffu, begin, t), high = __shfl_sync(0xffffffffu, end, t);
            for (u32 place = low / 8 + 32 + lane; place * 8 < high; place += 32 * 4) {
                uint4 more[4];
#pragma unroll
                for (u32 u = 0; u < 4; u++)
                    if ((place + 32 * u) * 8 < high) more[u] = __ldcs(eights + t * (TILE / 8) + place + 32 * u);
#pragma unroll
                for (u32 u = 0; u < 4; u++)
                    if ((place + 32 * u) * 8 < high) count_eight(more[u], place + 32 * u, low, high);
            }
        }
    }
    __syncthreads();
    const u32 low = bucket << bits;
    for (u32 i = threadIdx.x; i < size && low + i < cells; i += blockDim.x)
        if (own[i]) atomicAdd(table + low + i, (u64)own[i]);
}

#define COUNT_IN_SHARED(T)                                                                         \
    extern "C" __global__ void __launch_bounds__(1024, 1) count_in_shared_##T(                     \
            const T* c, const T* k, u64 n, Box box, u64* table) {                                  \
        count_in_shared<T>(c, k, n, box, table);                                                   \
    }
#define SORT_INTO_BUCKETS(T)                                                                       \
    extern "C" __global__ void __launch_bounds__(THREADS, 2) sort_into_buckets_##T(                \
            const T* c, const T* k, u32 n, Box box, u32 bits, u16* keys, u16* starts, u32* sizes) { \
        sort_into_buckets<T>(c, k, n, box, bits, keys, starts, sizes);                             \
    }

COUNT_IN_SHARED(u8)
COUNT_IN_SHARED(u16)
COUNT_IN_SHARED(u32)
COUNT_IN_SHARED(u64)
SORT_INTO_BUCKETS(u16)
SORT_INTO_BUCKETS(u32)
SORT_INTO_BUCKETS(u64)
