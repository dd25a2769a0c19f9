// Counts pairs of labels of a GPU into an array of all cells; the Python side is cuda.py.
//
// LABEL is an unsigned integer as wide as the labels, whatever their sign: differences are taken
// modulo 2^bits, so that a label is in the box if its offset from the lowest is less than the size.
// Pairs outside the box are counted in the cell after the last.
//
// Adding in memory that all cores share is slow, and very slow where many add to one cell. So each
// block counts in memory of its own: all cells where they fit (WHOLE), else as many as there are
// slots. A slot belongs to the first cell that asks for it, which is likely to be a frequent one;
// all other cells are added to the table.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define NOBODY 0xffffffffu

extern __shared__ u32 counts[];  // one for each slot, and then who has it

__device__ __forceinline__ void count(LABEL row, LABEL column, u32 height, u32 width, u32 slots, u64* table) {
    const u32 cell = row < height && column < width ? (u32)row * width + (u32)column : height * width;
    if (WHOLE) {
        atomicAdd(counts + cell, 1u);
        return;
    }
    u32* owners = counts + slots;
    const u32 slot = cell & (slots - 1);
    u32 owner = owners[slot];
    if (owner == NOBODY) {
        owner = atomicCAS(owners + slot, NOBODY, cell);
        if (owner == NOBODY) owner = cell;
    }
    if (owner == cell) atomicAdd(counts + slot, 1u);
    else atomicAdd(table + cell, 1ull);
}

extern "C" __global__ void __launch_bounds__(1024) count_pairs(
        const LABEL* c, const LABEL* k, u64 n, LABEL low_c, LABEL low_k, u32 height, u32 width, u32 slots, u64* table) {
    for (u32 i = threadIdx.x; i < slots; i += blockDim.x) {
        counts[i] = 0;
        if (!WHOLE) counts[slots + i] = NOBODY;
    }
    __syncthreads();
    constexpr u32 V = 16 / sizeof(LABEL);  // labels in one read of 16 bytes
    const u64 step = (u64)gridDim.x * blockDim.x, me = (u64)blockIdx.x * blockDim.x + threadIdx.x, reads = n / V;
#pragma unroll 4
    for (u64 i = me; i < reads; i += step) {
        union { uint4 read; LABEL labels[V]; } a, b;
        a.read = __ldcs((const uint4*)c + i);
        b.read = __ldcs((const uint4*)k + i);
#pragma unroll
        for (u32 v = 0; v < V; v++) count(a.labels[v] - low_c, b.labels[v] - low_k, height, width, slots, table);
    }
    if (const u64 i = reads * V + me; i < n) count(c[i] - low_c, k[i] - low_k, height, width, slots, table);
    __syncthreads();
    for (u32 i = threadIdx.x; i < slots; i += blockDim.x)
        if (counts[i]) atomicAdd(table + (WHOLE ? i : counts[slots + i]), (u64)counts[i]);
}
