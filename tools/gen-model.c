/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen-model.c - packs the model files of a folder for the program.
 *
 *   gen-model FOLDER > model.pack
 *
 * The format is described in src/azure/model/data.c. A folder that is not there is an empty model.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct entry {
    char group[128], version[128];
    unsigned char *packed;
    uLongf packed_size;
    size_t size;
    char kinds[8192]; /* " Kind Kind* ...", the star for the version in which objects are stored */
};

static struct entry *entries;
static size_t count;

static void die(const char *what, const char *path)
{
    fprintf(stderr, "gen-model: %s: ", path);
    perror(what);
    exit(2);
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *text = NULL;
    size_t room = 0, got;

    if (!f)
        die("open", path);
    *size = 0;
    do {
        room += 256 * 1024;
        text = realloc(text, room);
        if (!text)
            die("realloc", path);
        got = fread(text + *size, 1, room - *size - 1, f);
        *size += got;
    } while (*size == room - 1);
    text[*size] = 0;
    if (ferror(f))
        die("read", path);
    fclose(f);
    return text;
}

/* ---- Kinds of a file. ---- */

/* The end of a string that begins at text, which is a quote. Names in model files have no escapes.
 */
static const char *string_end(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : text;
}

static bool is_key(const char *name, size_t len, const char *key)
{
    return len == strlen(key) && memcmp(name, key, len) == 0;
}

static void append(struct entry *e, const char *text, size_t len)
{
    size_t at = strlen(e->kinds);

    if (at + len >= sizeof(e->kinds))
        die("too many kinds", e->group);
    memcpy(e->kinds + at, text, len);
    e->kinds[at + len] = 0;
}

/*
 * Finds {"resources": {KIND: {..., "hub": true}}}. Keys are told by their depth; the program reads
 * the files in earnest.
 */
static void find_kinds(struct entry *e, const char *text)
{
    bool inside = false;
    int depth = 0;

    while (*text) {
        if (*text != '"') {
            depth += *text == '{' || *text == '[' ? 1 : *text == '}' || *text == ']' ? -1 : 0;
            text++;
            continue;
        }
        const char *name = text + 1, *end = string_end(text);
        size_t len = (size_t)(end - name - (end[-1] == '"'));
        text = end + strspn(end, " \t\r\n");
        if (*text != ':')
            continue;
        text += 1 + strspn(text + 1, " \t\r\n");
        if (depth == 1)
            inside = is_key(name, len, "resources");
        if (inside && depth == 2) {
            append(e, " ", 1);
            append(e, name, len);
        } else if (inside && depth == 3 && is_key(name, len, "hub") && *text == 't') {
            append(e, "*", 1);
        }
    }
}

static void add_file(const char *folder, const char *group, const char *name)
{
    size_t stem = strlen(name) - strlen(".json");
    char path[4096];
    struct entry *e;

    entries = realloc(entries, (count + 1) * sizeof(*entries));
    if (!entries)
        die("realloc", name);
    e = &entries[count++];
    if (strlen(group) >= sizeof(e->group) || stem >= sizeof(e->version) || strchr(group, ' ') ||
        strchr(name, ' '))
        die("name", name);
    snprintf(e->group, sizeof(e->group), "%s", group);
    snprintf(e->version, sizeof(e->version), "%.*s", (int)stem, name);
    snprintf(path, sizeof(path), "%s/%s/%s", folder, group, name);
    unsigned char *text = read_file(path, &e->size);
    e->kinds[0] = 0;
    find_kinds(e, (const char *)text);
    e->packed_size = compressBound(e->size);
    e->packed = malloc(e->packed_size);
    if (!e->packed || compress2(e->packed, &e->packed_size, text, e->size, 9) != Z_OK)
        die("compress", path);
    free(text);
}

static void add_group(const char *folder, const char *group)
{
    struct dirent **names;
    char path[4096];
    int n;

    snprintf(path, sizeof(path), "%s/%s", folder, group);
    n = scandir(path, &names, visible, alphasort);
    for (int i = 0; i < n; i++) {
        size_t len = strlen(names[i]->d_name);
        if (len > 5 && strcmp(names[i]->d_name + len - 5, ".json") == 0)
            add_file(folder, group, names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static void write_all(void)
{
    printf("plumb model 2\n");
    for (size_t i = 0; i < count; i++)
        printf("%s %s %lu %zu%s\n", entries[i].group, entries[i].version,
               (unsigned long)entries[i].packed_size, entries[i].size, entries[i].kinds);
    printf("\n");
    for (size_t i = 0; i < count; i++)
        fwrite(entries[i].packed, 1, entries[i].packed_size, stdout);
    if (fflush(stdout) || ferror(stdout))
        die("write", "standard output");
}

int main(int argc, char **argv)
{
    struct dirent **groups;
    int n;

    if (argc != 2) {
        fprintf(stderr, "Usage: gen-model FOLDER > model.pack\n");
        return 2;
    }
    n = scandir(argv[1], &groups, visible, alphasort);
    for (int i = 0; i < n; i++) {
        add_group(argv[1], groups[i]->d_name);
        free(groups[i]);
    }
    if (n >= 0)
        free(groups);
    write_all();
    return 0;
}
