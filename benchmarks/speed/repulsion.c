/* The exact repulsion of netgiven.kernels.repulsion in C: the reference of `fit.py kernel`.
   Same tables, same order of loops, same polynomials, float32; one group. Compiled by fit.py. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LENGTH 512

static inline float exp_negative(float x) {
    float power = fmaxf(x * 1.4426950408889634f, -126.0f);
    int32_t whole = (int32_t)power;
    float part = power - (float)whole;
    float value = 0.00918861079f + part * 0.00093878797f;
    value = 0.0552797217f + part * value;
    value = 0.240172189f + part * value;
    value = 0.693142253f + part * value;
    value = 0.999999925f + part * value;
    int32_t bits = ((whole + 127) << 23) & -(int32_t)(x > -100.0f); /* a branch would keep gcc from vectorising */
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return value * scale;
}

static inline float log_one_plus(float t) {
    float value = -0.0295049572f + t * 0.005232624f;
    value = 0.0782254933f + t * value;
    value = -0.136632069f + t * value;
    value = 0.191059885f + t * value;
    value = -0.248429775f + t * value;
    value = 0.333190962f + t * value;
    value = -0.499994931f + t * value;
    value = 0.99999997f + t * value;
    return t * value;
}

static void log_odds(const float *restrict x, int dimensions, float base, float half_stiffness,
                     const float *restrict table, const float *restrict offset, float *restrict z) {
    for (int s = 0; s < LENGTH; s++) z[s] = base + offset[s];
    for (int k = 0; k < dimensions; k += 4) {
        const float *restrict row = table + k * LENGTH;
        float a = x[k], b = x[k + 1], c = x[k + 2], d = x[k + 3];
        for (int s = 0; s < LENGTH; s++) {
            float da = a - row[s], db = b - row[LENGTH + s], dc = c - row[2 * LENGTH + s], dd = d - row[3 * LENGTH + s];
            z[s] -= half_stiffness * (da * da + db * db + dc * dc + dd * dd);
        }
    }
}

static float probabilities(const float *restrict weight, float *restrict z) {
    float softplus = 0.0f;
    for (int s = 0; s < LENGTH; s++) {
        float small = exp_negative(-fabsf(z[s]));
        float likely = 1.0f / (1.0f + small);
        softplus += weight[s] * (fmaxf(z[s], 0.0f) + log_one_plus(small));
        float other = small * likely;
        z[s] = weight[s] * (z[s] >= 0.0f ? likely : other);
    }
    return softplus;
}

static void add_repulsion(const float *restrict x, int dimensions, const float *restrict table,
                          const float *restrict probability, double *restrict repulsion) {
    for (int k = 0; k < dimensions; k += 4) {
        const float *restrict row = table + k * LENGTH;
        float a = x[k], b = x[k + 1], c = x[k + 2], d = x[k + 3];
        float sa = 0.0f, sb = 0.0f, sc = 0.0f, sd = 0.0f;
        for (int s = 0; s < LENGTH; s++) {
            sa += probability[s] * (a - row[s]);
            sb += probability[s] * (b - row[LENGTH + s]);
            sc += probability[s] * (c - row[2 * LENGTH + s]);
            sd += probability[s] * (d - row[3 * LENGTH + s]);
        }
        repulsion[k] += sa, repulsion[k + 1] += sb, repulsion[k + 2] += sc, repulsion[k + 3] += sd;
    }
}

/* positions: count x dimensions; table_*: tables x ... x LENGTH; repulsion and softplus are zeros on entry. */
void repel_all(int count, int dimensions, int tables, const float *positions, const float *node,
               const float *table_positions, const float *table_node, const float *table_weight, float prior_offset,
               float reach, float half_stiffness, double *repulsion, double *softplus) {
    float offset[LENGTH], probability[LENGTH];
    for (int t = 0; t < tables; t++) {
        const float *table = table_positions + (long)t * dimensions * LENGTH;
        for (int s = 0; s < LENGTH; s++) offset[s] = table_node[t * LENGTH + s] + prior_offset;
        for (int i = 0; i < count; i++) {
            const float *x = positions + (long)i * dimensions;
            log_odds(x, dimensions, node[i] + reach, half_stiffness, table, offset, probability);
            softplus[i] += probabilities(table_weight + t * LENGTH, probability);
            add_repulsion(x, dimensions, table, probability, repulsion + (long)i * dimensions);
        }
    }
}
