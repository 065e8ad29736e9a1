// A module that calls what nobody has.
void function_that_nobody_has(void);
void call_it(void);
void call_it(void) { function_that_nobody_has(); }
