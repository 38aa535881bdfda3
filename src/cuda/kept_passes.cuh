/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The items of kept.h side by side on a GPU: a part of device.cu, in its namespace. Nothing of the
   passes of the commonest worlds is changed for these: sums are added up by warps, which costs some
   time where contacts are few and long. */
#ifndef MRN_CUDA_KEPT_PASSES_CUH
#define MRN_CUDA_KEPT_PASSES_CUH

/* N sums over the threads of a block of W warps; all threads call it. The first N of them add what
   the block has to `to`. */
template <int N, int W> struct block_sums {
    part of[W][N];
};

template <int N, int W> __device__ __forceinline__ void begin_sums(block_sums<N, W> *s)
{
    const part none = {0, 0, {0, 0, 0}};
    int lane = threadIdx.x & 31;
    if (lane < N)
        s->of[threadIdx.x / 32][lane] = none;
    __syncwarp();
}

template <int N, int W>
__device__ __forceinline__ void end_sums(block_sums<N, W> *s, mrn_gpu_sum *to)
{
    __syncthreads();
    if (threadIdx.x >= N)
        return;
    part all = s->of[0][threadIdx.x];
    for (int w = 1; w < W; w++) {
        const part *p = &s->of[w][threadIdx.x];
        merge(&all, p->top, p->lost, p->count);
    }
    into_sum(&to[threadIdx.x], &all);
}

__global__ __launch_bounds__(LAW_THREADS) void pass_kept_contacts(WORLD, int at)
{
    __shared__ gathered<LAW_WARPS> sums;
    __shared__ block_sums<MRN_GPU_MORE, LAW_WARPS> more;
    const mrn_gpu_step &s = world.step[at];
    if (is_old(world, s))
        return;
    begin(&sums);
    begin_sums(&more);
    int64_t n = world.list.n, stride = (int64_t)gridDim.x * LAW_THREADS;
    for (int64_t k0 = (int64_t)blockIdx.x * LAW_THREADS; k0 < n; k0 += stride) {
        int64_t k = k0 + threadIdx.x;
        mrn_gpu_kept_terms t = mrn_gpu_no_kept_terms();
        if (k < n) {
            mrn_gpu_pair p = mrn_gpu_load_pair(&world, k);
            if (mrn_gpu_kept_touches(&world, k, p))
                t = mrn_gpu_kept_contact(&world, k, p);
        }
        __syncwarp();
        add(&sums, t.usual);
        add_terms<MRN_GPU_MORE>(more.of[threadIdx.x / 32], t.more);
    }
    end(&sums, &world.record[s.slot]);
    end_sums(&more, world.more + MRN_GPU_MORE * s.slot);
}

bool kept_contacts(device *d, const mrn_gpu *g, const mrn_gpu_step *s)
{
    int blocks = blocks_for(g->list.n, LAW_THREADS), once = 4 * d->processors;
    pass_kept_contacts<<<blocks < once ? blocks : once, LAW_THREADS, 0, d->work>>>(*g, s->at);
    return fine(d, cudaGetLastError());
}

__global__ __launch_bounds__(WALL_THREADS) void pass_kept_walls(WORLD, int at)
{
    const mrn_gpu_step &s = world.step[at];
    int64_t k = (int64_t)blockIdx.x * WALL_THREADS + threadIdx.x;
    if (k < world.n_wall_grains && !is_old(world, s))
        mrn_gpu_kept_wall_grain(&world, &s, k);
}

__global__ __launch_bounds__(WALL_THREADS) void pass_kept_wall_totals(WORLD, int at)
{
    __shared__ block_sums<MRN_GPU_MORE, WALL_WARPS> more;
    const mrn_gpu_step &s = world.step[at];
    if (is_old(world, s))
        return;
    begin_sums(&more);
    int64_t n = world.list.n_wall, stride = (int64_t)gridDim.x * WALL_THREADS;
    for (int64_t k0 = (int64_t)blockIdx.x * WALL_THREADS; k0 < n; k0 += stride) {
        int64_t k = k0 + threadIdx.x;
        double term[MRN_GPU_MORE];
        for (int m = 0; m < MRN_GPU_MORE; m++)
            term[m] = k < n ? mrn_gpu_wall_more(&world, k, m) : 0;
        add_terms<MRN_GPU_MORE>(more.of[threadIdx.x / 32], term);
    }
    end_sums(&more, world.more + MRN_GPU_MORE * s.slot);
}

/* Contacts with walls, and the sums that only they have; the others follow (walls). */
void launch_kept_walls(device *d, const mrn_gpu *g, const mrn_gpu_step *s)
{
    pass_kept_walls<<<blocks_for(g->n_wall_grains, WALL_THREADS), WALL_THREADS, 0, d->side>>>(*g, s->at);
    int blocks = blocks_for(g->list.n_wall, WALL_THREADS);
    pass_kept_wall_totals<<<blocks < d->processors ? blocks : d->processors, WALL_THREADS, 0, d->side>>>(
        *g, s->at);
}

__global__ __launch_bounds__(THREADS) void pass_moments(WORLD, int at)
{
    __shared__ block_sums<MRN_GPU_MOMENTS, THREADS / 32> sums;
    const mrn_gpu_step &s = world.step[at];
    if (s.kick && is_old(world, s))
        return;
    begin_sums(&sums);
    int64_t n = world.n, stride = (int64_t)gridDim.x * THREADS;
    for (int64_t i0 = (int64_t)blockIdx.x * THREADS; i0 < n; i0 += stride) {
        int64_t i = i0 + threadIdx.x;
        double moment[MRN_GPU_MOMENTS] = {0, 0, 0, 0, 0, 0};
        if (i < n)
            mrn_gpu_moment(&world, &s, (int32_t)i, moment);
        __syncwarp();
        add_terms<MRN_GPU_MOMENTS>(sums.of[threadIdx.x / 32], moment);
    }
    end_sums(&sums, world.mass_sum + MRN_GPU_MOMENTS * s.at);
}

bool moments(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    device *d = (device *)self;
    int blocks = blocks_for(g->n, THREADS), once = 4 * d->processors;
    if (g->n == 0)
        return true;
    know(d, g);
    pass_moments<<<blocks < once ? blocks : once, THREADS, 0, d->work>>>(*g, s->at);
    return fine(d, cudaGetLastError());
}

#endif
