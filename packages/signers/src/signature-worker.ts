// The program of a signature thread.
import { serveSignatures } from './signature-thread.ts';

void serveSignatures();
