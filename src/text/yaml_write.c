#include "text/yaml.h"
bool yaml_write(struct buf *out, const struct value *v, enum number_rule numbers, struct err *e)
{ (void)out;(void)v;(void)numbers; return err_set(e, ERR_INVALID, "todo"); }
