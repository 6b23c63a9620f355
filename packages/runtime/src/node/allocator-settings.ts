// Settings of the system's memory allocator, which a process reads only at its start.

/**
 * Environment of a process that has bursts of large buffers. By default glibc takes buffers of up to 32 MB from one heap once
 * it has freed some, and that heap is returned to the system only as far as nothing lies behind it: after 400 clients who
 * read nothing, 217 MB stayed resident of which 23 were in use. Other allocators ignore these names.
 */
export const ALLOCATOR_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
