/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.c - files as C text, for what the program carries with it.
 *
 *   embed NAME FILE [NAME FILE]...
 *
 * prints for each pair "static const char NAME[]" with the bytes of the file, and "#define
 * NAME_HASH" with the hash by which a Content-Security-Policy allows exactly these bytes:
 * "sha256-...".
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_MOST (1024 * 1024)

static void fail(const char *what, const char *file)
{
    fprintf(stderr, "embed: %s: %s\n", what, file);
    exit(1);
}

static size_t read_all(const char *file, unsigned char *out)
{
    FILE *f = fopen(file, "rb");
    size_t len;

    if (!f)
        fail("cannot open", file);
    len = fread(out, 1, FILE_MOST, f);
    if (ferror(f) || !feof(f))
        fail("cannot read, or too long", file);
    fclose(f);
    return len;
}

/* Three digits for what is not plain, so that no digit that follows can be taken for a fourth. */
static void print_text(const unsigned char *text, size_t len)
{
    printf("    \"");
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n')
            printf("\\n\"\n    \"");
        else if (text[i] == '"' || text[i] == '\\')
            printf("\\%c", text[i]);
        else if (text[i] < ' ' || text[i] > '~' || text[i] == '?')
            printf("\\%03o", text[i]);
        else
            putchar(text[i]);
    }
    printf("\";\n");
}

static void print_hash(const char *name, const unsigned char *text, size_t len)
{
    unsigned char digest[EVP_MAX_MD_SIZE], base64[2 * EVP_MAX_MD_SIZE];
    unsigned int digest_len = 0;

    if (!EVP_Digest(text, len, digest, &digest_len, EVP_sha256(), NULL))
        fail("cannot hash", name);
    EVP_EncodeBlock(base64, digest, (int)digest_len);
    printf("#define %s_HASH \"sha256-%s\"\n", name, (const char *)base64);
}

int main(int argc, char **argv)
{
    static unsigned char text[FILE_MOST];

    printf("/* Written by tools/embed.c. */\n#pragma once\n");
    for (int i = 1; i + 1 < argc; i += 2) {
        size_t len = read_all(argv[i + 1], text);
        printf("\nstatic const char %s[] =\n", argv[i]);
        print_text(text, len);
        print_hash(argv[i], text, len);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
