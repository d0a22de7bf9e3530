/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_reference.c - a reference of the size of real ones: 100 templates with four function files,
 * against 70 objects; reference-gen.py writes them.
 *
 * Instructions are counted by callgrind: seconds of runs that short say more about the machine.
 *
 *   load        what compare_load takes
 *   whole run   the process, loading of its libraries included
 *   memory      the most that the process held, libraries included
 */
#include "bench.h"

#define LOAD_MAX 15e6
#define RUN_MAX 45e6
#define MEMORY_MAX 12.0 /* MiB */

/* The number after "Collected :" in what callgrind logged. */
static double read_count(struct arena *a, str log)
{
    AUTO_ERR e = {0};
    str text, before, rest, digits;
    uint64_t count = 0;

    bench_check(file_read(a, log, &text, &e), &e);
    if (!str_cut(text, STR("Collected : "), &before, &rest) ||
        !str_cut(rest, STR("\n"), &digits, &rest) || !str_to_u64(str_trim(digits), &count))
        return 0;
    return (double)count;
}

/* of: the function that is counted with what it calls, or NULL: all. 0 without valgrind. */
static double count_instructions(struct arena *a, str folder, const char *const *command,
                                 const char *of)
{
    str log = file_join(a, folder, STR("callgrind.log"));
    const char *args[16] = {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                            str_z(a, str_fmt(a, "--log-file=%.*s", STR_ARG(log)))};
    size_t n = 4;

    if (of)
        args[n++] = str_z(a, str_fmt(a, "--toggle-collect=%s", of));
    for (size_t i = 0; command[i]; i++)
        args[n++] = command[i];
    bench_command(args, NULL);
    return file_kind(log) == FILE_MISSING ? 0 : read_count(a, log);
}

static void measure(struct arena *a, str folder)
{
    const char *const command[] = {bench_program(a),
                                   "compare",
                                   "-r",
                                   str_z(a, file_join(a, folder, STR("reference/metadata.yaml"))),
                                   "-f",
                                   str_z(a, file_join(a, folder, STR("resources"))),
                                   NULL};
    int64_t memory = 0;
    int status = bench_command(command, &memory);

    if (status != 0 && status != 1)
        bench_check(false, &(struct err){.text = STR("plumb compare failed")});
    bench_number("reference memory", "MiB", (double)memory / (double)MIB, MEMORY_MAX);
    bench_number("reference load", "instructions",
                 count_instructions(a, folder, command, "compare_load"), LOAD_MAX);
    bench_number("reference whole run", "instructions",
                 count_instructions(a, folder, command, NULL), RUN_MAX);
}

static void run_reference(void)
{
    AUTO_ARENA a = arena_new();
    str folder = bench_folder(a);
    const char *const generate[] = {"python3", "tests/bench/reference-gen.py", str_z(a, folder),
                                    NULL};

    if (bench_command(generate, NULL))
        bench_check(false,
                    &(struct err){.text = STR("reference-gen.py failed: is python3 there?")});
    measure(a, folder);
    bench_folder_remove(a, folder);
}

const struct benchmark bench_reference = {
    .name = "reference",
    .help = "a reference of real size: instructions to load and to compare, memory",
    .run = run_reference,
};
