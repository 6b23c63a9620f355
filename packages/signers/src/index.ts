// Who signed what, recovered in threads: for many signatures a second beside other work.
export * from './signature-pool.ts';
