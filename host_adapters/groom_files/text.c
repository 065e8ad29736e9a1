/* Words of a text file. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>

int gf_next_token(gf_text *t) {
    size_t length = 0;
    while (t->at < t->end && (unsigned char)*t->at <= ' ') t->line += *t->at++ == '\n';
    for (; t->at < t->end && (unsigned char)*t->at > ' '; t->at++)
        if (length + 1 < sizeof t->token) t->token[length++] = *t->at;
    t->token[length] = 0;
    return length > 0;
}

/* strtod reads other numbers where people write a decimal comma. */
int gf_number(const char *token, double *value) {
    double sum = 0, sign = 1;
    int digits = 0, exponent = 0, written = 0, down = 0;
    if (*token == '-' || *token == '+') sign = *token++ == '-' ? -1 : 1;
    for (; *token >= '0' && *token <= '9'; token++, digits++) sum = 10 * sum + (*token - '0');
    if (*token == '.')
        for (token++; *token >= '0' && *token <= '9'; token++, digits++) {
            sum = 10 * sum + (*token - '0');
            exponent--;
        }
    if (!digits) return 0;
    if (*token == 'e' || *token == 'E') {
        token++;
        if (*token == '-' || *token == '+') down = *token++ == '-';
        if (*token < '0' || *token > '9') return 0;
        for (; *token >= '0' && *token <= '9'; token++)
            written = written < 1000 ? 10 * written + (*token - '0') : written;
        exponent += down ? -written : written;
    }
    if (*token) return 0;
    *value = sign * (exponent < 0 ? sum / pow(10, -exponent) : sum * pow(10, exponent));
    return *value == *value;
}

int gf_next_in_line(gf_text *t) {
    while (t->at < t->end && (unsigned char)*t->at <= ' ' && *t->at != '\n') t->at++;
    return t->at < t->end && *t->at != '\n' && gf_next_token(t);
}

int gf_grow(void **array, size_t rows, size_t bytes) {
    void *more = rows > SIZE_MAX / bytes ? NULL : realloc(*array, rows * bytes);
    if (more) *array = more;
    return more != NULL;
}
