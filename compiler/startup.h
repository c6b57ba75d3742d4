#pragma once

/* Prepares this process for compilations.  Call it once, before any thread starts. */
void startup(void);
