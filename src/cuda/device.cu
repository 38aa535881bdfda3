/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The items of kernels.h side by side on an NVIDIA GPU. Compiled without fused operations and with
   quotients and roots as IEEE 754 has them (CMakeLists.txt): same bits as the host. Only integers are
   added by several threads at once. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cub/device/device_scan.cuh>

#define MRN_INLINE     static __host__ __device__ __forceinline__
#define MRN_GPU_ADD(p) mrn_gpu_add_one(p)

static __host__ __device__ __forceinline__ int mrn_gpu_add_one(int *p)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(p, 1);
#else
    return (*p)++;
#endif
}

#include "cuda/kept.h"
#include "cuda/kernels.h"
#include "cuda/single.cuh"

namespace {

#define WORLD const __grid_constant__ mrn_gpu world

enum { THREADS = 256, WALL_THREADS = 128, WALL_WARPS = WALL_THREADS / 32 };

/* A batch of steps that comes for the second time is recorded, and then sent off again as a whole
   as long as only the numbers of its steps change: to begin one kernel after the other costs more
   than the steps of a small world take, to record them as much as a few dozen kernels. */
enum { FORMS = 4, LOCKS = 3 };
struct recording {
    cudaGraphExec_t exec; /* NULL: seen once */
    int form;
    uint64_t world; /* number of the world that it was made for */
};

/* One world's share of the GPU. Worlds have queues of their own, so that small ones run beside each
   other; kernels get the world that they work on with their arguments. */
struct device {
    cudaError_t last;
    int processors;
    /* contacts with walls are few and take long each: they go beside those of grains */
    cudaStream_t work, side;
    cudaEvent_t fork, join;
    bool apart; /* some are on their way there */
    mrn_gpu sent; /* the world as kernels saw it last */
    bool any_sent;
    recording kept[FORMS];
    int next_kept;
    uint64_t world_number; /* counts changes of the world */
    recording *open_now;
    bool due; /* contacts with walls of this step are to be sent off … */
    mrn_gpu_model due_model;
    char *pin; /* memory of the host for small copies, and its size */
    size_t pinned;
    const char *locked[LOCKS]; /* memory of the world's owner that copies go to as they are */
    size_t locked_bytes[LOCKS];
    void *room; /* of sums over prefixes */
    size_t size;
};

bool fine(device *d, cudaError_t e)
{
    if (e != cudaSuccess && d->last == cudaSuccess)
        d->last = e;
    return e == cudaSuccess;
}

/* Counts changes of the world, which recordings do not outlive. */
void know(device *d, const mrn_gpu *g)
{
    if (d->any_sent && memcmp(&d->sent, g, sizeof d->sent) == 0)
        return;
    memcpy(&d->sent, g, sizeof d->sent);
    d->any_sent = true;
    d->world_number++;
}

int blocks_for(int64_t n, int64_t threads)
{
    return (int)((n + threads - 1) / threads);
}

/* ---- open, memory ---- */

mrn_status say_missing(mrn_message *msg, const char *why)
{
    mrn_fail(msg, MRN_ERR_INPUT, "there is no CUDA device: %s", why);
    mrn_fail_expected(msg, "an NVIDIA GPU of compute capability 8.0 or later, and its driver");
    return mrn_fail_hint(msg, "nvidia-smi tells what the driver sees; device: cpu runs everywhere");
}

/* It is there, and cannot be used: taken by others, or lost to this program. */
mrn_status say_mute(mrn_message *msg, cudaError_t e)
{
    mrn_fail(msg, MRN_ERR_MACHINE, "the CUDA device does not answer: %s", cudaGetErrorString(e));
    return mrn_fail_hint(msg, "nvidia-smi tells who uses it; a lost device needs a new run, or "
                              "--device cpu");
}

mrn_status say_other_chip(mrn_message *msg, const cudaDeviceProp *p)
{
    mrn_fail(msg, MRN_ERR_INPUT, "this build has no kernels for the GPU %s (compute capability "
             "%d.%d)", p->name, p->major, p->minor);
    return mrn_fail_hint(msg, "build with  cmake -DMRN_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=%d%d",
                         p->major, p->minor);
}

__global__ void pass_bounds(WORLD); /* one of the kernels, to ask for */

/* What this machine has; no world's yet. */
mrn_status survey(mrn_gpu_about *about, int *processors, mrn_message *msg)
{
    int n = 0, driver = 0, runtime = 0;
    cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e == cudaErrorInsufficientDriver) {
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        if (driver == 0)
            return say_missing(msg, "no driver is installed");
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the driver of the GPU is too old: it knows CUDA %d.%d, this build needs %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
        return mrn_fail_hint(msg, "install a newer driver, or run with  --device cpu");
    }
    if (e != cudaSuccess || n == 0)
        return say_missing(msg, e != cudaSuccess ? cudaGetErrorString(e) : "none was found");
    if ((e = cudaSetDevice(0)) != cudaSuccess || (e = cudaGetDeviceProperties(&p, 0)) != cudaSuccess)
        return say_mute(msg, e);
    if (p.major < 8)
        return say_missing(msg, "the GPU is too old");
    size_t room = 0, all = 0;
    if ((e = cudaMemGetInfo(&room, &all)) != cudaSuccess)
        return say_mute(msg, e);
    cudaFuncAttributes of;
    e = cudaFuncGetAttributes(&of, pass_bounds);
    if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction)
        return say_other_chip(msg, &p);
    int clock = 0;
    cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, 0);
    snprintf(about->name, sizeof about->name, "%s", p.name);
    about->bytes = (int64_t)all;
    about->free_bytes = (int64_t)room;
    about->bandwidth = 2e3 * clock * p.memoryBusWidth / 8;
    *processors = p.multiProcessorCount;
    return MRN_OK;
}

/* Memory that is given back stays with the program until another world or list wants it: to ask the
   driver stops the device. */
void keep_memory(void)
{
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess)
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
}

void leave(void *self)
{
    device *d = (device *)self;
    cudaMemPool_t pool;
    for (int k = 0; k < FORMS; k++)
        if (d->kept[k].exec != NULL)
            cudaGraphExecDestroy(d->kept[k].exec);
    if (d->room != NULL)
        cudaFreeAsync(d->room, d->work);
    if (d->work != NULL)
        cudaStreamSynchronize(d->work);
    if (d->pin != NULL)
        cudaFreeHost(d->pin);
    const cudaEvent_t event[] = {d->fork, d->join};
    const cudaStream_t stream[] = {d->side, d->work};
    for (cudaEvent_t e : event)
        if (e != NULL)
            cudaEventDestroy(e);
    for (cudaStream_t s : stream)
        if (s != NULL)
            cudaStreamDestroy(s);
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess)
        cudaMemPoolTrimTo(pool, 0);
    free(d);
}

mrn_status start(mrn_gpu_about *about, void **self, mrn_message *msg)
{
    int processors = 0;
    mrn_status st = survey(about, &processors, msg);
    if (st != MRN_OK)
        return st;
    device *d = (device *)calloc(1, sizeof *d);
    if (d == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    d->processors = processors;
    keep_memory();
    bool ok = fine(d, cudaStreamCreateWithFlags(&d->work, cudaStreamNonBlocking)) &&
              fine(d, cudaStreamCreateWithFlags(&d->side, cudaStreamNonBlocking)) &&
              fine(d, cudaEventCreateWithFlags(&d->fork, cudaEventDisableTiming)) &&
              fine(d, cudaEventCreateWithFlags(&d->join, cudaEventDisableTiming));
    const size_t some = 1 << 22;
    if (ok && cudaMallocHost((void **)&d->pin, some) == cudaSuccess)
        d->pinned = some;
    else
        cudaGetLastError(); /* it goes without */
    if (!ok) {
        say_mute(msg, d->last);
        leave(d);
        return MRN_ERR_MACHINE;
    }
    *self = d;
    return MRN_OK;
}

void *take(void *self, size_t bytes)
{
    device *d = (device *)self;
    void *at = NULL;
    cudaError_t e = cudaMallocAsync(&at, bytes > 0 ? bytes : 1, d->work);
    if (e == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* too little memory is no failure of the device */
        return NULL;
    }
    return fine(d, e) ? at : NULL;
}

void give(void *self, void *at)
{
    if (at != NULL)
        cudaFreeAsync(at, ((device *)self)->work);
}

/* From memory of the host that is not pinned: read when this returns. */
bool put(void *self, void *to, const void *from, size_t bytes)
{
    device *d = (device *)self;
    return bytes == 0 || fine(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, d->work));
}

bool get(void *self, void *to, const void *from, size_t bytes)
{
    device *d = (device *)self;
    return bytes == 0 ||
           (fine(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, d->work)) &&
            fine(d, cudaStreamSynchronize(d->work)));
}

void lock(void *self, void *at, size_t bytes)
{
    device *d = (device *)self;
    int k = 0;
    while (k < LOCKS && d->locked[k] != NULL)
        k++;
    if (k == LOCKS || bytes == 0)
        return;
    if (cudaHostRegister(at, bytes, cudaHostRegisterDefault) != cudaSuccess) {
        cudaGetLastError(); /* it goes without */
        return;
    }
    d->locked[k] = (const char *)at;
    d->locked_bytes[k] = bytes;
}

void unlock(void *self, void *at)
{
    device *d = (device *)self;
    for (int k = 0; k < LOCKS; k++)
        if (at != NULL && d->locked[k] == at) {
            if (cudaHostUnregister(at) != cudaSuccess)
                cudaGetLastError();
            d->locked[k] = NULL;
        }
}

bool is_locked(const device *d, const mrn_gpu_copy *c)
{
    const char *to = (const char *)c->to;
    for (int k = 0; k < LOCKS; k++)
        if (d->locked[k] != NULL && to >= d->locked[k] &&
            to + c->bytes <= d->locked[k] + d->locked_bytes[k])
            return true;
    return false;
}

/* Some copies, one wait: straight to memory that is locked, to other through the device's own, as far
   as it goes. */
bool fetch(void *self, int n, const mrn_gpu_copy *copy)
{
    enum { MOST = 8 };
    device *d = (device *)self;
    size_t at = 0;
    const char *from[MOST] = {NULL};
    for (int k = 0; k < n; k++) {
        const mrn_gpu_copy *c = &copy[k];
        const bool straight = is_locked(d, c), by = !straight && k < MOST && at + c->bytes <= d->pinned;
        if (by)
            from[k] = d->pin + at, at += (c->bytes + 15) / 16 * 16;
        void *to = by ? (void *)from[k] : c->to;
        if (!straight && !by ? !get(d, to, c->from, c->bytes)
                             : !fine(d, cudaMemcpyAsync(to, c->from, c->bytes, cudaMemcpyDeviceToHost,
                                                        d->work)))
            return false;
    }
    if (!fine(d, cudaStreamSynchronize(d->work)))
        return false;
    for (int k = 0; k < n && k < MOST; k++)
        if (from[k] != NULL)
            memcpy(copy[k].to, from[k], copy[k].bytes);
    return true;
}

bool copy(void *self, void *to, const void *from, size_t bytes)
{
    device *d = (device *)self;
    return bytes == 0 ||
           fine(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->work));
}

bool clear(void *self, void *at, size_t bytes)
{
    device *d = (device *)self;
    return bytes == 0 || fine(d, cudaMemsetAsync(at, 0, bytes, d->work));
}

bool wait_for_it(void *self)
{
    device *d = (device *)self;
    return fine(d, cudaStreamSynchronize(d->work));
}

const char *error(void *self)
{
    const device *d = (const device *)self;
    return d->last != cudaSuccess ? cudaGetErrorString(d->last) : NULL;
}

bool scan(void *self, int32_t *count, int64_t n)
{
    device *d = (device *)self;
    size_t need = 0;
    if (!fine(d, cub::DeviceScan::ExclusiveSum(NULL, need, count, count, n + 1, d->work)))
        return false;
    if (need > d->size) {
        give(d, d->room);
        d->room = take(d, need);
        d->size = d->room != NULL ? need : 0;
        if (d->room == NULL)
            return fine(d, cudaErrorMemoryAllocation);
    }
    return fine(d, cub::DeviceScan::ExclusiveSum(d->room, need, count, count, n + 1, d->work));
}

/* Rows of words, a thread for each word: neighbours read neighbours. */
template <typename word>
__global__ void gather_rows(word *to, const word *from, const int32_t *map, int64_t n, int width)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n * width)
        to[k] = from[(int64_t)map[k / width] * width + k % width];
}

bool gather(void *self, void *to, const void *from, const int32_t *map, int64_t n, int size)
{
    device *d = (device *)self;
    if (n == 0)
        return true;
    if (size % 8 == 0)
        gather_rows<<<blocks_for(n * (size / 8), THREADS), THREADS, 0, d->work>>>(
            (uint64_t *)to, (const uint64_t *)from, map, n, size / 8);
    else if (size % 4 == 0)
        gather_rows<<<blocks_for(n * (size / 4), THREADS), THREADS, 0, d->work>>>(
            (uint32_t *)to, (const uint32_t *)from, map, n, size / 4);
    else
        gather_rows<<<blocks_for(n * size, THREADS), THREADS, 0, d->work>>>((uint8_t *)to, (const uint8_t *)from,
                                                                map, n, size);
    return fine(d, cudaGetLastError());
}

/* ---- passes that only write ---- */

__device__ __forceinline__ bool is_old(const mrn_gpu &world, const mrn_gpu_step &s)
{
    return mrn_gpu_is_old(&world, &s);
}

/* ---- batches ---- */

bool replay(void *self, const mrn_gpu *g, int form)
{
    device *d = (device *)self;
    know(d, g);
    for (int k = 0; k < FORMS; k++)
        if (d->kept[k].form == form && d->kept[k].world == d->world_number) {
            if (d->kept[k].exec != NULL)
                return fine(d, cudaGraphLaunch(d->kept[k].exec, d->work));
            if (fine(d, cudaStreamBeginCapture(d->work, cudaStreamCaptureModeThreadLocal)))
                d->open_now = &d->kept[k];
            return false;
        }
    recording *to = &d->kept[d->next_kept];
    d->next_kept = (d->next_kept + 1) % FORMS;
    if (to->exec != NULL)
        cudaGraphExecDestroy(to->exec);
    to->exec = NULL;
    to->form = form;
    to->world = d->world_number;
    return false;
}

bool close_batch(void *self)
{
    device *d = (device *)self;
    cudaGraph_t graph = NULL;
    recording *to = d->open_now;
    if (to == NULL)
        return true;
    d->open_now = NULL;
    if (!fine(d, cudaStreamEndCapture(d->work, &graph)))
        return false;
    bool ok = fine(d, cudaGraphInstantiate(&to->exec, graph, 0));
    cudaGraphDestroy(graph);
    return ok && fine(d, cudaGraphLaunch(to->exec, d->work));
}

#define MRN_GPU_GLOBAL(name)                                                                       \
    __global__ __launch_bounds__(THREADS) void pass_##name(WORLD, mrn_gpu_step s, int64_t n)              \
    {                                                                                              \
        int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;                                   \
        if (k < n)                                                                                 \
            mrn_gpu_do_##name(&world, &s, k);                                                      \
    }
MRN_GPU_KERNELS(MRN_GPU_GLOBAL)

#define MRN_GPU_LAUNCH(name)                                                                       \
    case MRN_GPU_KERNEL_##name:                                                                    \
        pass_##name<<<blocks_for(n, THREADS), THREADS, 0, d->work>>>(*g, *s, n);                          \
        break;

bool run(void *self, mrn_gpu_kernel kernel, const mrn_gpu *g, const mrn_gpu_step *s, int64_t n)
{
    device *d = (device *)self;
    if (n == 0)
        return true;
    know(d, g);
    switch (kernel) {
        MRN_GPU_KERNELS(MRN_GPU_LAUNCH)
    default:
        break;
    }
    return fine(d, cudaGetLastError());
}

/* ---- totals ---- */

/* The sum of a warp, or of what its warps have added up so far: units of level top - 1 and below. */
struct part {
    int32_t top, lost;
    int64_t count[MRN_SUM_FOLDS];
};

/* Sum over a warp of numbers below 2^52: in two halves, each of which fits. */
__device__ __forceinline__ int64_t warp_sum(int64_t x)
{
    unsigned low = __reduce_add_sync(~0u, (unsigned)(x & 0x3ffffff));
    int high = __reduce_add_sync(~0u, (int)(x >> 26));
    return ((int64_t)high << 26) + low;
}

/* The levels of a part from `top` on; those that are still among them stay. No index is chosen at run
   time: that would move the counts out of registers. */
__device__ __forceinline__ void raise(part *to, int32_t top)
{
    int up = to->top > 0 ? top - to->top : MRN_SUM_FOLDS;
    int64_t a = to->count[0], b = to->count[1], c = to->count[2];
    to->count[2] = up == 0 ? c : up == 1 ? b : up == 2 ? a : 0;
    to->count[1] = up == 0 ? b : up == 1 ? a : 0;
    to->count[0] = up == 0 ? a : 0;
    to->top = top;
}

__device__ __forceinline__ void merge(part *to, int32_t top, int32_t lost, const int64_t *count)
{
    to->lost |= lost;
    if (top > to->top)
        raise(to, top);
    int down = top > 0 ? to->top - top : MRN_SUM_FOLDS;
    to->count[0] += down == 0 ? count[0] : 0;
    to->count[1] += down == 0 ? count[1] : down == 1 ? count[0] : 0;
    to->count[2] += down == 0 ? count[2] : down == 1 ? count[1] : down == 2 ? count[0] : 0;
}

/* Terms of each lane, N sums of them, into the warp's parts; all lanes call it. Lane k adds to the
   k-th. A loop that stays one: passes that come here go through their instructions once, and wait
   for nothing as long as for these. */
template <int N> __device__ __forceinline__ void add_terms(part *to, const double *x)
{
    const int32_t bad = 1000; /* cannot be summed */
    int lane = threadIdx.x & 31;
    int32_t my_top = 0;
    int64_t mine[MRN_SUM_FOLDS] = {0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        int32_t own = mrn_gpu_top(x[k]);
        int32_t top = __reduce_max_sync(~0u, own < 0 ? bad : own);
        my_top = lane == k ? top : my_top;
        if (top != 0 && top != bad) {
            int64_t count[MRN_SUM_FOLDS];
            mrn_gpu_cut(x[k], top, count);
#pragma unroll
            for (int f = 0; f < MRN_SUM_FOLDS; f++) {
                int64_t sum = warp_sum(count[f]);
                mine[f] = lane == k ? sum : mine[f];
            }
        }
    }
    if (lane < N)
        merge(&to[lane], my_top == bad ? 0 : my_top, my_top == bad, mine);
    __syncwarp();
}

__device__ __forceinline__ void add_global(int64_t *to, int64_t x)
{
    if (x != 0)
        atomicAdd((unsigned long long *)to, (unsigned long long)x);
}

__device__ __forceinline__ void into_sum(mrn_gpu_sum *to, const part *p)
{
    if (p->lost)
        atomicOr(&to->lost, 1);
    if (p->top == 0)
        return;
    atomicMax(&to->top, p->top);
#pragma unroll 1
    for (int f = 0; f < MRN_SUM_FOLDS && p->top - 1 - f >= 0; f++) {
        add_global(&to->low[p->top - 1 - f], p->count[f] & INT64_C(0xffffffff));
        add_global(&to->high[p->top - 1 - f], p->count[f] >> 32);
    }
}

/* What a block gathers of a record. */
template <int N> struct gathered {
    part sum[N][MRN_GPU_TERMS];
    int32_t contacts[N], sliding[N];
    unsigned long long overlap[N];
};

template <int N> __device__ __forceinline__ void begin(gathered<N> *s)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < MRN_GPU_TERMS) {
        part *p = &s->sum[warp][lane];
        p->top = p->lost = 0;
        p->count[0] = p->count[1] = p->count[2] = 0;
    }
    if (lane == 0)
        s->contacts[warp] = s->sliding[warp] = 0, s->overlap[warp] = 0;
    __syncwarp();
}

__device__ __forceinline__ unsigned long long warp_max(unsigned long long x)
{
    unsigned high = __reduce_max_sync(~0u, (unsigned)(x >> 32));
    unsigned low = __reduce_max_sync(~0u, (unsigned)(x >> 32) == high ? (unsigned)x : 0);
    return (unsigned long long)high << 32 | low;
}

template <int N> __device__ __forceinline__ void add(gathered<N> *s, const mrn_gpu_terms &t)
{
    int warp = threadIdx.x / 32;
    unsigned touch = __ballot_sync(~0u, t.touch), slip = __ballot_sync(~0u, t.slip);
    if (touch == 0)
        return;
    add_terms<MRN_GPU_TERMS>(s->sum[warp], t.term);
    unsigned long long most = warp_max(mrn_bits_of(t.overlap));
    if ((threadIdx.x & 31) == 0) {
        s->contacts[warp] += __popc(touch);
        s->sliding[warp] += __popc(slip);
        s->overlap[warp] = most > s->overlap[warp] ? most : s->overlap[warp];
    }
}

template <int N> __device__ __forceinline__ void end(gathered<N> *s, mrn_gpu_record *to)
{
    __syncthreads();
    int k = threadIdx.x;
    if (k < MRN_GPU_TERMS) {
        part all = s->sum[0][k];
#pragma unroll 1
        for (int w = 1; w < N; w++)
            merge(&all, s->sum[w][k].top, s->sum[w][k].lost, s->sum[w][k].count);
        into_sum(&to->sum[k], &all);
    }
    if (k == 32) {
        int64_t contacts = 0, sliding = 0;
        unsigned long long most = 0;
        for (int w = 0; w < N; w++) {
            contacts += s->contacts[w], sliding += s->sliding[w];
            most = s->overlap[w] > most ? s->overlap[w] : most;
        }
        add_global(&to->contacts, contacts);
        add_global(&to->sliding, sliding);
        atomicMax((unsigned long long *)&to->overlap, most);
    }
}

enum { LAW_THREADS = 128, LAW_WARPS = LAW_THREADS / 32 };

/* What the threads of a block add up, each for itself, and hand on to their warp now and then: levels
   are those of the largest term that the thread has seen, and rise with it. A term is cut as in mrn_sum_add; the whole units of a level, at
   most 2^43 of them, are added up as floating-point numbers, which is exact for OWN_TERMS terms. */
enum { OWN_TERMS = 255 };
template <int levels> struct lanes {
    double rounder[MRN_GPU_TERMS][LAW_THREADS]; /* of the highest level; 0: no term yet; infinite: a
                                                   term cannot be summed */
    double units[levels * MRN_GPU_TERMS][LAW_THREADS]; /* times the unit */
};

/* Levels of a sum: in mixed precision one less (MRN_GPU_MIXED_FOLDS), for the whole of it. */
template <bool mixed> using lanes_of = lanes<mixed ? (int)MRN_GPU_MIXED_FOLDS : (int)MRN_SUM_FOLDS>;

#define MRN_GPU_ONE_LEVEL 0x1p-44 /* MRN_SUM_BITS */

/* A term larger than all before it, or none. */
template <int levels> __device__ __noinline__ void raise_own(lanes<levels> *s, int k, double x)
{
    int at = threadIdx.x;
    double was = s->rounder[k][at], a = s->units[levels * k][at], b = s->units[levels * k + 1][at];
    int32_t own = mrn_gpu_top(x);
    if (own == 0 || was > DBL_MAX)
        return;
    /* three levels are there: lower ones hold nothing that the two below would not */
    double now = own < 0 ? mrn_of_bits(UINT64_C(0x7ff) << 52) : mrn_sum_rounder(own > 3 ? own : 3);
    double one = now * MRN_GPU_ONE_LEVEL, two = one * MRN_GPU_ONE_LEVEL;
    s->rounder[k][at] = now;
    if (was == now)
        return;
    if constexpr (levels > 2)
        s->units[levels * k + 2][at] = was == one ? b : was == two ? a : 0;
    s->units[levels * k + 1][at] = was == one ? a : 0;
    s->units[levels * k][at] = 0;
}

/* r times MRN_GPU_ONE_LEVEL, r far from the smallest numbers: without the unit for doubles. */
__device__ __forceinline__ double one_level_down(double r)
{
    return __hiloint2double(__double2hiint(r) - (MRN_SUM_BITS << 20), __double2loint(r));
}

template <int levels>
__device__ __forceinline__ void add_own(lanes<levels> *s, const mrn_gpu_terms &t)
{
    int at = threadIdx.x;
#pragma unroll
    for (int k = 0; k < MRN_GPU_TERMS; k++) {
        double x = t.term[k], r = s->rounder[k][at];
        /* the least number of the next level is a power of two: 2^-10 of 4/3 of the rounder */
        const int32_t below = 9 << 20 | 1 << 19;
        if ((__double2hiint(x) & INT32_MAX) >= __double2hiint(r) - below) { /* seldom */
            raise_own(s, k, x);
            r = s->rounder[k][at];
            if (r == 0)
                continue;
        }
#pragma unroll
        for (int f = 0; f < levels; f++) {
            double whole = (x + r) - r;
            s->units[levels * k + f][at] += whole;
            x -= whole;
            r = one_level_down(r);
        }
    }
}

/* Sums of the warp; numbers may be too long for halves of 26 bits. */
__device__ __forceinline__ int64_t warp_sum_long(int64_t x)
{
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(~0u, x, d);
    return x;
}

template <int levels> __device__ __forceinline__ part part_of(const lanes<levels> *s, int k)
{
    double r = s->rounder[k][threadIdx.x];
    int32_t exponent = __double2hiint(r) >> 20;
    part p = {0, exponent == 0x7ff, {0, 0, 0}};
    if (exponent == 0 || p.lost)
        return p;
    p.top = (exponent - 1) / MRN_SUM_BITS + 1;
    for (int f = 0; f < levels; f++, r *= MRN_GPU_ONE_LEVEL)
        p.count[f] =
            (int64_t)(mrn_bits_of(s->units[levels * k + f][threadIdx.x] + r) - mrn_bits_of(r));
    return p;
}

template <int levels>
__device__ __forceinline__ void own_to_warp(const lanes<levels> *s, part *to)
{
#pragma unroll
    for (int k = 0; k < MRN_GPU_TERMS; k++) {
        part p = part_of(s, k);
        int32_t top = __reduce_max_sync(~0u, p.top), lost = __any_sync(~0u, p.lost);
        if (top > 0)
            raise(&p, top);
        for (int f = 0; f < MRN_SUM_FOLDS; f++)
            p.count[f] = warp_sum_long(p.count[f]);
        if ((threadIdx.x & 31) == 0)
            merge(&to[k], top, lost, p.count);
    }
}

/* What a thread counts of the contacts that it computes. */
struct tally {
    int32_t contacts, sliding;
    double deepest;
};

template <int levels> __device__ __forceinline__ void begin_own(lanes<levels> *own)
{
    for (int m = 0; m < MRN_GPU_TERMS; m++)
        own->rounder[m][threadIdx.x] = 0;
    for (int m = 0; m < levels * MRN_GPU_TERMS; m++)
        own->units[m][threadIdx.x] = 0;
}

template <mrn_gpu_model model, bool mixed, bool strained>
__device__ __forceinline__ void do_contact(const mrn_gpu &world, int64_t k, mrn_gpu_pair p,
                                           const mrn_gpu_standing &how,
                                           lanes_of<mixed> *own, tally *of,
                                           const mrn_gpu_cell *in)
{
    mrn_gpu_terms t;
    if constexpr (mixed && !strained && model != MRN_GPU_ANY)
        t = single::contact<model>(&world, k, p, how, of->deepest);
    else
        t = mrn_gpu_contact(&world, k, p, &how, model, mixed, of->deepest, in);
    add_own(own, t);
    of->contacts += 1, of->sliding += t.slip;
    of->deepest = t.overlap > of->deepest ? t.overlap : of->deepest;
}

template <mrn_gpu_model model, bool mixed, bool strained>
__device__ __forceinline__ void try_contact(const mrn_gpu &world, int64_t k, mrn_gpu_pair p,
                                            lanes_of<mixed> *own, tally *of,
                                            const mrn_gpu_cell *in)
{
    const mrn_gpu_standing how = mrn_gpu_stand(&world, p, in);
    if (mrn_gpu_touches(&world, k, p, &how, mixed))
        do_contact<model, mixed, strained>(world, k, p, how, own, of, in);
}

template <int levels>
__device__ __forceinline__ void end_own(const lanes<levels> *own, tally of,
                                        gathered<LAW_WARPS> *sums, mrn_gpu_record *to)
{
    int warp = threadIdx.x / 32;
    own_to_warp(own, sums->sum[warp]);
    of.contacts = __reduce_add_sync(~0u, of.contacts);
    of.sliding = __reduce_add_sync(~0u, of.sliding);
    unsigned long long most = warp_max(mrn_bits_of(of.deepest));
    if ((threadIdx.x & 31) == 0) {
        sums->contacts[warp] = of.contacts, sums->sliding[warp] = of.sliding;
        sums->overlap[warp] = most;
    }
    end(sums, to);
}

/* Loads on walls that a warp has added up: of a few walls, by the last bits of their numbers. */
enum { WALLS_KEPT = 4 };
struct loads {
    int32_t wall[WALLS_KEPT]; /* -1: none */
    part sum[WALLS_KEPT][6];
};

__device__ __forceinline__ void begin_loads(loads *l)
{
    int lane = threadIdx.x & 31;
    const part none = {0, 0, {0, 0, 0}};
    if (lane < WALLS_KEPT)
        l->wall[lane] = -1;
    if (lane < 6 * WALLS_KEPT)
        l->sum[lane / 6][lane % 6] = none;
    __syncwarp();
}

/* Sum `lane` of one of them goes to the totals of its wall. */
__device__ __forceinline__ void send_load(const mrn_gpu &world, loads *l, int32_t slot, int of, int lane)
{
    const part none = {0, 0, {0, 0, 0}};
    if (l->wall[of] < 0)
        return;
    size_t at = (size_t)slot * (size_t)world.n_walls + (size_t)l->wall[of];
    into_sum(&world.wall_sum[6 * at + lane], &l->sum[of][lane]);
    l->sum[of][lane] = none;
}

/* Loads of the pairs of a warp. */
__device__ void add_loads(const mrn_gpu &world, const mrn_gpu_step &s, int64_t k, bool touch, loads *l)
{
    double load[6] = {0, 0, 0, 0, 0, 0};
    int lane = threadIdx.x & 31;
    int32_t wall = touch ? world.list.wall[k] : -1;
    if (touch)
        mrn_gpu_wall_load(&world, &s, k, load);
    unsigned left = __ballot_sync(~0u, touch);
    while (left != 0) {
        int32_t w = __shfl_sync(~0u, wall, __ffs((int)left) - 1), of = w % WALLS_KEPT;
        if (l->wall[of] != w) { /* the same for all lanes */
            if (lane < 6)
                send_load(world, l, s.slot, of, lane);
            __syncwarp();
            if (lane == 0)
                l->wall[of] = w;
            __syncwarp();
        }
        double mine[6];
        for (int c = 0; c < 6; c++)
            mine[c] = wall == w ? load[c] : 0;
        add_terms<6>(l->sum[of], mine);
        left &= ~__ballot_sync(~0u, wall == w);
    }
}

/* Parts of the warps of a block that are of the same wall are put together before they go. */
__device__ __forceinline__ void end_loads(const mrn_gpu &world, loads *all, int32_t slot)
{
    __syncthreads();
    int of = threadIdx.x / 6, lane = threadIdx.x % 6;
    if (of >= WALLS_KEPT)
        return;
#pragma unroll 1
    for (int w = 1; w < WALL_WARPS; w++) {
        if (all[w].wall[of] >= 0 && all[w].wall[of] == all[0].wall[of]) {
            const part *p = &all[w].sum[of][lane];
            merge(&all[0].sum[of][lane], p->top, p->lost, p->count);
        } else {
            send_load(world, &all[w], slot, of, lane);
        }
    }
    send_load(world, &all[0], slot, of, lane);
}

/* Most pairs touch: a thread for each. `strained`: the cell does. */
template <mrn_gpu_model model, bool mixed, int blocks, bool strained>
__global__ __launch_bounds__(LAW_THREADS, blocks) void pass_contacts(WORLD, int at)
{
    __shared__ gathered<LAW_WARPS> sums;
    __shared__ lanes_of<mixed> own;
    const mrn_gpu_step &s = world.step[at];
    if (is_old(world, s))
        return;
    const mrn_gpu_cell *in = strained ? &world.cells[s.slot] : NULL;
    tally of = {0, 0, 0};
    begin(&sums);
    begin_own(&own);
    uint32_t n = (uint32_t)world.list.n, stride = gridDim.x * LAW_THREADS; /* below 2^31 */
    uint32_t k = blockIdx.x * LAW_THREADS + threadIdx.x;
    mrn_gpu_pair next = {0, 0, 0};
    if (k < n)
        next = mrn_gpu_load_pair(&world, k);
    /* who comes next is asked for before this one is computed, and, where there are instructions
       left, what the two remember */
    if constexpr (mixed) {
        uint32_t first = k & ~31u; /* of the warp, which stays together */
        for (int32_t terms = 0; first < n; k += stride, first += stride) {
            mrn_gpu_pair p = next;
            if (k + stride < n) {
                next = mrn_gpu_load_pair(&world, k + stride);
                mrn_gpu_kept_soon(&world, k + stride, model, mixed);
            }
            if (k < n)
                try_contact<model, mixed, strained>(world, k, p, &own, &of, in);
            if (++terms == OWN_TERMS) {
                __syncwarp();
                own_to_warp(&own, sums.sum[threadIdx.x / 32]);
                begin_own(&own);
                terms = 0;
            }
        }
    } else { /* there are so many blocks that threads have few enough */
        for (; k < n; k += stride) {
            mrn_gpu_pair p = next;
            if (k + stride < n)
                next = mrn_gpu_load_pair(&world, k + stride);
            try_contact<model, mixed, strained>(world, k, p, &own, &of, in);
        }
    }
    __syncwarp();
    end_own(&own, of, &sums, &world.record[s.slot]);
}

/* Many do not: those that do wait in a queue until there is one for each thread of the block. */
template <mrn_gpu_model model, bool mixed, int blocks, bool strained>
__global__ __launch_bounds__(LAW_THREADS, blocks) void pass_sparse_contacts(WORLD, int step)
{
    __shared__ gathered<LAW_WARPS> sums;
    __shared__ lanes_of<mixed> own;
    const mrn_gpu_step &s = world.step[step];
    __shared__ int32_t queue[2 * LAW_THREADS];
    __shared__ int32_t count[2]; /* of this round and of the next */
    if (is_old(world, s))
        return;
    const mrn_gpu_cell *in = strained ? &world.cells[s.slot] : NULL;
    tally of = {0, 0, 0};
    begin(&sums);
    begin_own(&own);
    if (threadIdx.x == 0)
        count[0] = count[1] = 0;
    int64_t n = world.list.n, stride = (int64_t)gridDim.x * LAW_THREADS;
    int lane = threadIdx.x & 31;
    int64_t k0 = (int64_t)blockIdx.x * LAW_THREADS;
    __syncthreads();
    for (int round = 0, terms = 0;; round ^= 1, k0 += stride) {
        bool more = k0 < n;
        if (mixed && ++terms == OWN_TERMS) {
            own_to_warp(&own, sums.sum[threadIdx.x / 32]);
            begin_own(&own);
            terms = 0;
        }
        int64_t k = k0 + threadIdx.x;
        bool touch = false;
        if (k < n) {
            const mrn_gpu_pair p = mrn_gpu_load_pair(&world, k);
            const mrn_gpu_standing how = mrn_gpu_stand(&world, p, in);
            touch = mrn_gpu_touches(&world, k, p, &how, mixed);
        }
        unsigned all = __ballot_sync(~0u, touch);
        int32_t at = 0;
        if (lane == 0 && all != 0)
            at = atomicAdd(&count[round], __popc(all));
        at = __shfl_sync(~0u, at, 0) + __popc(all & ((1u << lane) - 1));
        if (touch)
            queue[at] = (int32_t)k;
        __syncthreads();
        int32_t waiting = count[round], done = 0;
        if (waiting >= LAW_THREADS || !more) {
            done = waiting < LAW_THREADS ? waiting : LAW_THREADS;
            if (threadIdx.x < done) {
                int32_t at = queue[threadIdx.x];
                const mrn_gpu_pair p = mrn_gpu_load_pair(&world, at);
                do_contact<model, mixed, strained>(world, at, p, mrn_gpu_stand(&world, p, in), &own,
                                                   &of, in);
            }
        }
        int32_t left = waiting - done, moved = 0;
        if (threadIdx.x < left && done > 0)
            moved = queue[done + threadIdx.x];
        __syncthreads();
        if (threadIdx.x < left && done > 0)
            queue[threadIdx.x] = moved;
        if (threadIdx.x == 0)
            count[round ^ 1] = left;
        if (!more && left == 0)
            break;
        __syncthreads();
    }
    end_own(&own, of, &sums, &world.record[s.slot]);
}

#include "cuda/kept_passes.cuh"

/* Blocks of threads that a multiprocessor holds at once: measured on an H200, four to eight. */
enum { LAW_BLOCKS = 5, BODY_BLOCKS = 7, SINGLE_LAW_BLOCKS = 8, SINGLE_BODY_BLOCKS = 10 };

template <mrn_gpu_model model, bool mixed, int per, bool strained>
void launch_precise(device *d, const mrn_gpu *g, int blocks, const mrn_gpu_step *s, bool sparse)
{
    if (sparse)
        pass_sparse_contacts<model, mixed, per, strained>
            <<<blocks, LAW_THREADS, 0, d->work>>>(*g, s->at);
    else
        pass_contacts<model, mixed, per, strained><<<blocks, LAW_THREADS, 0, d->work>>>(*g, s->at);
}

template <mrn_gpu_model model, int per, bool strained = false>
void launch_contacts(device *d, int blocks, const mrn_gpu *g, const mrn_gpu_step *s, bool sparse)
{
    if (g->mixed)
        launch_precise<model, true, model == MRN_GPU_ANY ? per : SINGLE_LAW_BLOCKS, strained>(
            d, g, blocks, s, sparse);
    else
        launch_precise<model, false, per, strained>(d, g, blocks, s, sparse);
}

bool contacts(void *self, const mrn_gpu *g, const mrn_gpu_step *s, mrn_gpu_model model, bool sparse)
{
    device *d = (device *)self;
    if (g->list.n == 0)
        return true;
    know(d, g);
    if (model == MRN_GPU_KEPT)
        return kept_contacts(d, g, s);
    /* as many as run at once; in double precision a multiple of them where a thread would sum too
       many terms: it has no registers left to hand sums on */
    int blocks = blocks_for(g->list.n, LAW_THREADS);
    int once = (g->mixed ? SINGLE_LAW_BLOCKS : LAW_BLOCKS) * d->processors;
    int64_t rounds = g->mixed ? 1 : (g->list.n / OWN_TERMS / LAW_THREADS) / once + 1;
    blocks = blocks < once * rounds ? blocks : (int)(once * rounds);
    switch (g->strains ? MRN_GPU_ANY : model) { /* any law: in cells that strain */
    case MRN_GPU_TSUJI_MINDLIN:
        launch_contacts<MRN_GPU_TSUJI_MINDLIN, LAW_BLOCKS>(d, blocks, g, s, sparse);
        break;
    case MRN_GPU_VISCOELASTIC_MINDLIN:
        launch_contacts<MRN_GPU_VISCOELASTIC_MINDLIN, LAW_BLOCKS>(d, blocks, g, s, sparse);
        break;
    case MRN_GPU_LINEAR:
        launch_contacts<MRN_GPU_LINEAR, LAW_BLOCKS>(d, blocks, g, s, sparse);
        break;
    default:
        if (g->strains)
            launch_contacts<MRN_GPU_ANY, 4, true>(d, blocks, g, s, sparse);
        else
            launch_contacts<MRN_GPU_ANY, 4>(d, blocks, g, s, sparse);
        break;
    }
    return fine(d, cudaGetLastError());
}

/* ---- walls ---- */

/* Contacts with walls, their totals, and loads on walls. */
template <mrn_gpu_model model, bool special = false>
__global__ __launch_bounds__(WALL_THREADS) void pass_walls(WORLD, int at)
{
    __shared__ gathered<WALL_WARPS> sums;
    __shared__ loads of[WALL_WARPS];
    const mrn_gpu_step &s = world.step[at];
    if (is_old(world, s))
        return;
    int64_t k = (int64_t)blockIdx.x * WALL_THREADS + threadIdx.x;
    int32_t p = 0, end_p = 0;
    begin(&sums);
    begin_loads(&of[threadIdx.x / 32]);
    if (k < world.n_wall_grains) {
        int32_t i = world.wall_grain[k];
        p = world.list.wall_row[i], end_p = world.list.wall_row[i + 1];
        mrn_gpu_wall_grain(&world, &s, k, model, special);
    }
    for (; __any_sync(~0u, p < end_p); p++) {
        mrn_gpu_terms t = p < end_p ? mrn_gpu_wall_terms(&world, p) : mrn_gpu_no_terms();
        add(&sums, t);
        add_loads(world, s, p, t.touch != 0, &of[threadIdx.x / 32]);
    }
    end(&sums, &world.record[s.slot]);
    end_loads(world, of, s.slot);
}

__global__ __launch_bounds__(WALL_THREADS) void pass_wall_totals(WORLD, int at)
{
    __shared__ gathered<WALL_WARPS> sums;
    __shared__ loads of[WALL_WARPS];
    const mrn_gpu_step &s = world.step[at];
    if (is_old(world, s))
        return;
    begin(&sums);
    begin_loads(&of[threadIdx.x / 32]);
    int64_t n = world.list.n_wall, stride = (int64_t)gridDim.x * WALL_THREADS;
    for (int64_t k0 = (int64_t)blockIdx.x * WALL_THREADS; k0 < n; k0 += stride) {
        int64_t k = k0 + threadIdx.x;
        mrn_gpu_terms t = k < n ? mrn_gpu_wall_terms(&world, k) : mrn_gpu_no_terms();
        add(&sums, t);
        add_loads(world, s, k, t.touch != 0, &of[threadIdx.x / 32]);
    }
    end(&sums, &world.record[s.slot]);
    end_loads(world, of, s.slot);
}

/* Beside the contacts of grains: few of these, and long. They are sent off behind those, and fill
   the time in which the last of them end: in front they would hold up a part of them. */
bool walls(void *self, const mrn_gpu *g, const mrn_gpu_step *s, mrn_gpu_model model)
{
    device *d = (device *)self;
    (void)g, (void)s;
    d->due = d->apart = true;
    d->due_model = model;
    return fine(d, cudaEventRecord(d->fork, d->work)) &&
           fine(d, cudaStreamWaitEvent(d->side, d->fork, 0));
}

bool send_walls(device *d, const mrn_gpu *g, const mrn_gpu_step *s)
{
    int blocks = blocks_for(g->n_wall_grains, WALL_THREADS);
    mrn_gpu_model model = d->due_model;
    if (!d->due)
        return true;
    d->due = false;
    if (g->strains || g->points != NULL)
        pass_walls<MRN_GPU_ANY, true><<<blocks, WALL_THREADS, 0, d->side>>>(*g, s->at);
    else switch (model) {
    case MRN_GPU_TSUJI_MINDLIN:
        pass_walls<MRN_GPU_TSUJI_MINDLIN><<<blocks, WALL_THREADS, 0, d->side>>>(*g, s->at);
        break;
    case MRN_GPU_VISCOELASTIC_MINDLIN:
        pass_walls<MRN_GPU_VISCOELASTIC_MINDLIN><<<blocks, WALL_THREADS, 0, d->side>>>(*g, s->at);
        break;
    case MRN_GPU_LINEAR:
        pass_walls<MRN_GPU_LINEAR><<<blocks, WALL_THREADS, 0, d->side>>>(*g, s->at);
        break;
    case MRN_GPU_KEPT:
        launch_kept_walls(d, g, s);
        blocks = blocks_for(g->list.n_wall, WALL_THREADS);
        blocks = blocks < d->processors ? blocks : d->processors;
        pass_wall_totals<<<blocks, WALL_THREADS, 0, d->side>>>(*g, s->at);
        break;
    default:
        pass_walls<MRN_GPU_ANY><<<blocks, WALL_THREADS, 0, d->side>>>(*g, s->at);
        break;
    }
    return fine(d, cudaGetLastError());
}

/* ---- bodies ---- */

enum { BODY_THREADS = 128, BODY_WARPS = BODY_THREADS / 32 };

/* Powers of loads and damping, or of the flow, of the bodies of a block. */
template <int N> __device__ __forceinline__ void add_powers(const double *power, mrn_gpu_sum *to)
{
    __shared__ part sum[BODY_WARPS][N];
    part *own = sum[threadIdx.x / 32];
    const part none = {0, 0, {0, 0, 0}};
    if ((threadIdx.x & 31) < N)
        own[threadIdx.x & 31] = none;
    __syncwarp();
    add_terms<N>(own, power);
    __syncthreads();
    if (threadIdx.x >= N)
        return;
    part all = none;
    for (int w = 0; w < BODY_WARPS; w++) {
        const part *p = &sum[w][threadIdx.x];
        merge(&all, p->top, p->lost, p->count);
    }
    into_sum(&to[threadIdx.x], &all);
}

template <bool extra, bool mixed, int blocks, bool strained = false>
__global__ __launch_bounds__(BODY_THREADS, blocks) void pass_bodies(WORLD, int at)
{
    const mrn_gpu_step &s = world.step[at];
    __shared__ unsigned long long most[BODY_WARPS];
    mrn_gpu_record *now = &world.record[s.slot], *next = now + (s.kick ? 1 : 0);
    bool halt = s.kick && is_old(world, s), deep = s.kick && !(mrn_of_bits(now->overlap) < 1);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        next->way = s.kick ? mrn_gpu_way(now) : s.way;
        if (halt || deep)
            next->far = UINT64_C(0x7ff) << 52;
    }
    if (halt)
        return;
    int32_t i = (int32_t)((int64_t)blockIdx.x * BODY_THREADS + threadIdx.x);
    unsigned long long far = 0;
    double power[MRN_GPU_POWERS + (strained ? MRN_GPU_CARRIED : 0)] = {0, 0};
    if (i < world.n) {
        double way;
        if constexpr (mixed && !extra)
            way = single::body(&world, &s, i, s.drift && !deep);
        else
            way = mrn_gpu_body(&world, &s, i, s.drift && !deep, extra, mixed, strained, power);
        far = mrn_bits_of(way) & (UINT64_MAX >> 1);
    }
    if (extra && s.kick)
        add_powers<MRN_GPU_POWERS>(power, now->power);
    if constexpr (strained) {
        if (s.kick)
            add_powers<MRN_GPU_CARRIED>(power + MRN_GPU_POWERS, world.strain[s.slot].body);
    }
    if (!s.drift || deep)
        return;
    far = warp_max(far);
    if ((threadIdx.x & 31) == 0)
        most[threadIdx.x / 32] = far;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BODY_WARPS; w++)
            far = most[w] > far ? most[w] : far;
        atomicMax((unsigned long long *)&next->far, far);
    }
}

bool bodies(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    device *d = (device *)self;
    if (g->n == 0)
        return true;
    know(d, g);
    if (!send_walls(d, g, s))
        return false;
    if (d->apart && (!fine(d, cudaEventRecord(d->join, d->side)) ||
                     !fine(d, cudaStreamWaitEvent(d->work, d->join, 0))))
        return false;
    d->apart = false;
    int n = blocks_for(g->n, BODY_THREADS);
    if (g->strains && g->mixed)
        pass_bodies<true, true, 4, true><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    else if (g->strains)
        pass_bodies<true, false, 4, true><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    else if (g->mixed && g->extra)
        pass_bodies<true, true, 4><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    else if (g->mixed)
        pass_bodies<false, true, SINGLE_BODY_BLOCKS><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    else if (g->extra)
        pass_bodies<true, false, 4><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    else
        pass_bodies<false, false, BODY_BLOCKS><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    return fine(d, cudaGetLastError());
}

/* ---- clusters ---- */

/* A thread for each: few, and each with a chain of sines. After the bodies, in one queue with them. */
template <bool strained> __global__ __launch_bounds__(BODY_THREADS) void pass_clusters(WORLD, int at)
{
    const mrn_gpu_step &s = world.step[at];
    mrn_gpu_record *now = &world.record[s.slot], *next = now + (s.kick ? 1 : 0);
    if (s.kick && is_old(world, s))
        return;
    const bool drift = s.drift && !(s.kick && !(mrn_of_bits(now->overlap) < 1));
    int32_t c = (int32_t)((int64_t)blockIdx.x * BODY_THREADS + threadIdx.x);
    unsigned long long far = 0;
    double power[MRN_GPU_POWERS + (strained ? MRN_GPU_CARRIED : 0)] = {0, 0};
    if (c < world.n_clusters)
        far = mrn_bits_of(mrn_gpu_carry_cluster(&world, &s, c, drift, strained, power)) &
              (UINT64_MAX >> 1);
    if (s.kick)
        add_powers<MRN_GPU_POWERS>(power, now->power);
    if constexpr (strained) {
        if (s.kick)
            add_powers<MRN_GPU_CARRIED>(power + MRN_GPU_POWERS, world.strain[s.slot].body);
    }
    if (!drift)
        return;
    far = warp_max(far);
    if ((threadIdx.x & 31) == 0)
        atomicMax((unsigned long long *)&next->far, far);
}

bool clusters(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    device *d = (device *)self;
    int n = blocks_for(g->n_clusters, BODY_THREADS);
    know(d, g);
    if (g->strains)
        pass_clusters<true><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    else
        pass_clusters<false><<<n, BODY_THREADS, 0, d->work>>>(*g, s->at);
    return fine(d, cudaGetLastError());
}

__global__ __launch_bounds__(BODY_THREADS) void pass_turns(WORLD, int at)
{
    const mrn_gpu_step &s = world.step[at];
    int32_t c = (int32_t)((int64_t)blockIdx.x * BODY_THREADS + threadIdx.x);
    if (c < world.n_clusters && !is_old(world, s))
        mrn_gpu_turn(&world, c);
}

bool turns(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    device *d = (device *)self;
    know(d, g);
    pass_turns<<<blocks_for(g->n_clusters, BODY_THREADS), BODY_THREADS, 0, d->work>>>(*g, s->at);
    return fine(d, cudaGetLastError());
}

/* ---- sums of terms of any items ---- */

#define MRN_GPU_FUNCTION(name, terms)                                                              \
    struct sum_##name {                                                                            \
        enum { N = terms };                                                                        \
        static __device__ __forceinline__ void of(const mrn_gpu &world, const mrn_gpu_step *s,     \
                                                  int64_t k, double *x)                            \
        {                                                                                          \
            mrn_gpu_sum_##name(&world, s, k, x);                                                   \
        }                                                                                          \
    };
MRN_GPU_SUMS(MRN_GPU_FUNCTION)

enum { SUM_THREADS = 128, SUM_WARPS = SUM_THREADS / 32 };

/* at >= 0: of that step of a batch, with what stands there when it comes. */
template <class F>
__global__ __launch_bounds__(SUM_THREADS) void pass_total(WORLD, mrn_gpu_step given, int at, int64_t n,
                                                          mrn_gpu_sum *to)
{
    __shared__ part sum[SUM_WARPS][F::N];
    const mrn_gpu_step &s = at >= 0 ? world.step[at] : given;
    part *own = sum[threadIdx.x / 32];
    const part none = {0, 0, {0, 0, 0}};
    if (at >= 0 && is_old(world, s))
        return;
    if ((threadIdx.x & 31) < F::N)
        own[threadIdx.x & 31] = none;
    __syncwarp();
    int64_t stride = (int64_t)gridDim.x * SUM_THREADS;
    for (int64_t k0 = (int64_t)blockIdx.x * SUM_THREADS; k0 < n; k0 += stride) {
        double x[F::N] = {0};
        if (k0 + threadIdx.x < n)
            F::of(world, &s, k0 + threadIdx.x, x);
        __syncwarp();
        add_terms<F::N>(own, x);
    }
    __syncthreads();
    if (threadIdx.x >= F::N)
        return;
    part all = none;
    for (int w = 0; w < SUM_WARPS; w++) {
        const part *p = &sum[w][threadIdx.x];
        merge(&all, p->top, p->lost, p->count);
    }
    into_sum(&to[threadIdx.x], &all);
}

#define MRN_GPU_TOTAL(name, terms)                                                                 \
    case MRN_GPU_TOTAL_##name:                                                                     \
        pass_total<sum_##name>                                                                     \
            <<<blocks, SUM_THREADS, 0, d->work>>>(*g, *s, within ? s->at : -1, n, to);                    \
        break;

bool total(void *self, mrn_gpu_totals sum, const mrn_gpu *g, const mrn_gpu_step *s, bool within, int64_t n,
           mrn_gpu_sum *to)
{
    device *d = (device *)self;
    int blocks = blocks_for(n, SUM_THREADS);
    blocks = blocks < 8 * d->processors ? blocks : 8 * d->processors;
    if (n == 0)
        return true;
    know(d, g);
    switch (sum) {
        MRN_GPU_SUMS(MRN_GPU_TOTAL)
    default:
        break;
    }
    return fine(d, cudaGetLastError());
}

__global__ __launch_bounds__(THREADS) void pass_ends(WORLD, int step)
{
    const mrn_gpu_step &s = world.step[step];
    if (is_old(world, s))
        return;
    int64_t stride = (int64_t)gridDim.x * THREADS;
    unsigned long long low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < world.n; i += stride) {
        mrn_gpu_ball b = mrn_gpu_load_ball(&world, (int32_t)i);
        const double at[3] = {b.x.x, b.x.y, b.x.z};
        for (int k = 0; k < 3; k++) {
            unsigned long long l = ~mrn_gpu_ordered(at[k] - b.r), h = mrn_gpu_ordered(at[k] + b.r);
            low[k] = l > low[k] ? l : low[k];
            high[k] = h > high[k] ? h : high[k];
        }
    }
    __syncwarp();
    for (int k = 0; k < 3; k++) {
        unsigned long long a = warp_max(low[k]), b = warp_max(high[k]);
        if ((threadIdx.x & 31) == 0) {
            atomicMax((unsigned long long *)&world.strain[s.slot].least[k], a);
            atomicMax((unsigned long long *)&world.strain[s.slot].most[k], b);
        }
    }
}

bool ends(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    device *d = (device *)self;
    know(d, g);
    pass_ends<<<4 * d->processors, THREADS, 0, d->work>>>(*g, s->at);
    return fine(d, cudaGetLastError());
}

__global__ void begin_bounds(WORLD)
{
    for (int k = threadIdx.x; k < MRN_GPU_BOUNDS + world.n_walls; k += blockDim.x)
        world.bounds[k] = k < MRN_GPU_MOST ? UINT64_MAX : 0;
}

__device__ __forceinline__ void most_of(uint64_t *to, unsigned long long x)
{
    atomicMax((unsigned long long *)to, x);
}

enum { ASK_THREADS = 256, ASK_WARPS = ASK_THREADS / 32, ASK_BLOCKS = 4 };

/* The largest numbers of the N kinds that the threads of a block have, into x of its first threads;
   all of them call it. */
template <int N> __device__ __forceinline__ unsigned long long block_most(const unsigned long long *x)
{
    __shared__ unsigned long long most[N][ASK_WARPS];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < N; k++) {
        unsigned long long m = warp_max(x[k]);
        if ((threadIdx.x & 31) == 0)
            most[k][threadIdx.x / 32] = m;
    }
    __syncthreads();
    unsigned long long all = 0;
    for (int w = 0; threadIdx.x < N && w < ASK_WARPS; w++)
        all = most[threadIdx.x][w] > all ? most[threadIdx.x][w] : all;
    return all;
}

__global__ __launch_bounds__(ASK_THREADS) void pass_bounds(WORLD)
{
    enum { LOW, HIGH = 3, FAST = 6, BAD, N };
    int64_t stride = (int64_t)gridDim.x * ASK_THREADS;
    unsigned long long x[N] = {0, 0, 0, 0, 0, 0, 0, 0}; /* low ends are turned around */
    for (int64_t i = (int64_t)blockIdx.x * ASK_THREADS + threadIdx.x; i < world.n; i += stride) {
        mrn_vec3 f = mrn_gpu_along(&world, (int32_t)i);
        mrn_vec3 v = mrn_gpu_load_motion(&world, (int32_t)i, world.mixed != 0).v;
        const double at[3] = {f.x, f.y, f.z};
        unsigned long long square = mrn_bits_of(mrn_dot(v, v));
        x[FAST] = square > x[FAST] ? square : x[FAST];
        for (int k = 0; k < 3; k++) {
            unsigned long long u = mrn_gpu_ordered(at[k]), l = ~u;
            x[LOW + k] = l > x[LOW + k] ? l : x[LOW + k];
            x[HIGH + k] = u > x[HIGH + k] ? u : x[HIGH + k];
            x[BAD] |= !(fabs(at[k]) < 1e9);
        }
    }
    unsigned long long most = block_most<N>(x);
    if (threadIdx.x < HIGH)
        atomicMin((unsigned long long *)&world.bounds[MRN_GPU_LEAST + threadIdx.x], ~most);
    else if (threadIdx.x < FAST)
        most_of(&world.bounds[MRN_GPU_MOST + threadIdx.x - HIGH], most);
    else if (threadIdx.x == FAST)
        most_of(&world.bounds[MRN_GPU_FASTEST], most);
    else if (threadIdx.x == BAD && most != 0)
        most_of(&world.bounds[MRN_GPU_NOWHERE], 1);
}

bool bounds(void *self, const mrn_gpu *g)
{
    device *d = (device *)self;
    begin_bounds<<<1, 32, 0, d->work>>>(*g);
    pass_bounds<<<ASK_BLOCKS * d->processors, ASK_THREADS, 0, d->work>>>(*g);
    return fine(d, cudaGetLastError());
}

/* ---- lists ---- */

/* Rows are written in the order of bodies in one pass: blocks take parts of the bodies one after the
   other, and each looks back at what those before it have found so far (Merrill and Garland's
   "decoupled look-back"). For each part two numbers, of 62 bits, below a mark: nothing known yet; its own
   sum; the sum up to its end. */
enum { LIST_THREADS = 128, LIST_WARPS = LIST_THREADS / 32 };
#define OWN_SUM   (1ull << 62)
#define WHOLE_SUM (2ull << 62)

__device__ __forceinline__ unsigned long long read_part(const uint64_t *at)
{
    return *(const volatile unsigned long long *)at;
}

/* The sum of number `which` over all parts before `part`, whose own sum is `own`; one warp. */
__device__ __forceinline__ int64_t look_back(uint64_t *state, int which, int64_t part, int64_t own)
{
    int lane = threadIdx.x & 31;
    int64_t before = 0;
    unsigned long long *mine = (unsigned long long *)&state[2 * part + which];
    if (lane == 0)
        atomicExch(mine, (part == 0 ? WHOLE_SUM : OWN_SUM) | (unsigned long long)own);
    for (int64_t at = part - 1 - lane; part > 0; at -= 32) {
        unsigned long long x = at >= 0 ? read_part(&state[2 * at + which]) : WHOLE_SUM;
        while (__any_sync(~0u, x < OWN_SUM))
            x = at >= 0 ? read_part(&state[2 * at + which]) : WHOLE_SUM;
        unsigned whole = __ballot_sync(~0u, x >= WHOLE_SUM);
        int last = whole != 0 ? __ffs((int)whole) - 1 : 31;
        int64_t count = lane <= last ? (int64_t)(x & (OWN_SUM - 1)) : 0;
        before += warp_sum_long(count);
        if (whole != 0)
            break;
    }
    if (lane == 0 && part > 0)
        atomicExch(mine, WHOLE_SUM | (unsigned long long)(before + own));
    return before;
}

/* Where what a thread has found goes, in two rows: `at`. All threads of the block call it. */
__device__ __forceinline__ void place_rows(uint64_t *state, int64_t part, const int32_t n[2],
                                           int32_t at[2], int64_t total[2])
{
    __shared__ int32_t sum[2][LIST_WARPS];
    __shared__ int64_t begin[2];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    for (int k = 0; k < 2; k++) {
        int32_t up = n[k];
        for (int d = 1; d < 32; d *= 2) {
            int32_t below = __shfl_up_sync(~0u, up, d);
            up += lane >= d ? below : 0;
        }
        at[k] = up - n[k];
        if (lane == 31)
            sum[k][warp] = up;
    }
    __syncthreads();
    int64_t all[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        for (int w = 0; w < LIST_WARPS; w++) {
            at[k] += w < warp ? sum[k][w] : 0;
            all[k] += sum[k][w];
        }
    if (warp < 2) {
        int64_t before = look_back(state, warp, part, warp == 0 ? all[0] : all[1]);
        if (lane == 0)
            begin[warp] = before;
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        at[k] += (int32_t)begin[k];
        total[k] = begin[k] + all[k];
    }
}

/* The next part; the first number of `parts` counts them. Those of walls stand behind the others. */
__device__ __forceinline__ int64_t next_part(uint64_t *parts)
{
    __shared__ int64_t part;
    if (threadIdx.x == 0)
        part = (int64_t)atomicAdd((unsigned long long *)parts, 1ull);
    __syncthreads();
    return part;
}

__global__ __launch_bounds__(LIST_THREADS) void pass_pairs(WORLD)
{
    int64_t part = next_part(world.parts), i = part * LIST_THREADS + threadIdx.x, total[2];
    int32_t n[2] = {0, 0}, at[2];
    mrn_gpu_few few;
    if (i < world.n)
        mrn_gpu_search(&world, (int32_t)i, &few, &n[0], &n[1]);
    place_rows(world.parts + 1, part, n, at, total);
    if (i < world.n)
        mrn_gpu_write_rows(&world, (int32_t)i, &few, at[0], at[1], n[0], n[1]);
    if (i == world.n - 1) {
        world.list.row[world.n] = (int32_t)total[0], world.back_row[world.n] = (int32_t)total[1];
        world.bounds[MRN_GPU_FOUND_OWN] = (uint64_t)total[0];
        world.bounds[MRN_GPU_FOUND_BACK] = (uint64_t)total[1];
    }
}

template <bool special>
__global__ __launch_bounds__(LIST_THREADS) void pass_wall_pairs(WORLD, mrn_gpu_step s)
{
    uint64_t *parts = world.parts + 1 + 2 * (int64_t)gridDim.x;
    int64_t part = next_part(parts), i = part * LIST_THREADS + threadIdx.x, total[2];
    int32_t n[2] = {0, 0}, at[2];
    mrn_gpu_few_walls few;
    if (i < world.n)
        n[0] = mrn_gpu_near_walls(&world, &s, (int32_t)i, few.wall, few.feature, MRN_GPU_FEATURES,
                                  special);
    n[1] = n[0] > 0;
    place_rows(parts + 1, part, n, at, total);
    if (i < world.n)
        mrn_gpu_write_walls(&world, &s, (int32_t)i, &few, at[0], at[1], n[0], special);
    if (i == world.n - 1) {
        world.list.wall_row[world.n] = (int32_t)total[0];
        world.bounds[MRN_GPU_FOUND_WALLS] = (uint64_t)total[0];
        world.bounds[MRN_GPU_FOUND_WALL_GRAINS] = (uint64_t)total[1];
    }
}

/* Partners are searched for beside features of walls, which are few and take long each. */
bool pairs(void *self, const mrn_gpu *g)
{
    device *d = (device *)self;
    int parts = blocks_for(g->n, LIST_THREADS);
    if (!clear(d, g->parts, 2 * (size_t)(1 + 2 * parts) * sizeof *g->parts) ||
        !fine(d, cudaEventRecord(d->fork, d->work)) ||
        !fine(d, cudaStreamWaitEvent(d->side, d->fork, 0)))
        return false;
    pass_pairs<<<parts, LIST_THREADS, 0, d->work>>>(*g);
    return fine(d, cudaGetLastError());
}

bool wall_pairs(void *self, const mrn_gpu *g, const mrn_gpu_step *s, bool special)
{
    device *d = (device *)self;
    int parts = blocks_for(g->n, LIST_THREADS);
    if (special)
        pass_wall_pairs<true><<<parts, LIST_THREADS, 0, d->side>>>(*g, *s);
    else
        pass_wall_pairs<false><<<parts, LIST_THREADS, 0, d->side>>>(*g, *s);
    return fine(d, cudaGetLastError()) && fine(d, cudaEventRecord(d->join, d->side)) &&
           fine(d, cudaStreamWaitEvent(d->work, d->join, 0));
}


__global__ __launch_bounds__(ASK_THREADS) void pass_reach(WORLD, mrn_vec3 from, mrn_vec3 axis,
                                                          int32_t wall)
{
    int64_t stride = (int64_t)gridDim.x * ASK_THREADS;
    unsigned long long most = 0;
    for (int64_t i = (int64_t)blockIdx.x * ASK_THREADS + threadIdx.x; i < world.n; i += stride) {
        unsigned long long u = mrn_bits_of(mrn_gpu_reach_of(&world, (int32_t)i, from, axis));
        most = u > most ? u : most;
    }
    most = block_most<1>(&most);
    if (threadIdx.x == 0)
        most_of(&world.bounds[MRN_GPU_BOUNDS + wall], most);
}

/* Behind the features of walls. */
bool reach(void *self, const mrn_gpu *g, mrn_vec3 from, mrn_vec3 axis, int32_t wall)
{
    device *d = (device *)self;
    pass_reach<<<ASK_BLOCKS * d->processors, ASK_THREADS, 0, d->work>>>(*g, from, axis, wall);
    return fine(d, cudaGetLastError());
}

} // namespace

extern "C" const mrn_gpu_ops mrn_gpu_cuda = {
    .name = "cuda",
    .built = true,
    .timed = true,
    .open = start,
    .leave = leave,
    .take = take,
    .give = give,
    .put = put,
    .get = get,
    .fetch = fetch,
    .lock = lock,
    .unlock = unlock,
    .copy = copy,
    .clear = clear,
    .wait = wait_for_it,
    .error = error,
    .scan = scan,
    .gather = gather,
    .run = run,
    .contacts = contacts,
    .walls = walls,
    .bodies = bodies,
    .clusters = clusters,
    .turns = turns,
    .moments = moments,
    .replay = replay,
    .close = close_batch,
    .bounds = bounds,
    .pairs = pairs,
    .wall_pairs = wall_pairs,
    .total = total,
    .ends = ends,
    .reach = reach,
};
