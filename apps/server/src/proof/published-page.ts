// One page of the public journal: whole frames, where the next page begins, and the signed head.
import { type SignedFrame, stringifyJson } from '@presage/protocol';
import type { PublishedFrame } from './published-frame.ts';

interface PageParts {
  readonly partition: string;
  readonly frames: readonly PublishedFrame[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: SignedFrame | null;
}

export class PublishedPage implements PageParts {
  readonly partition: string;
  readonly frames: readonly PublishedFrame[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: SignedFrame | null;

  constructor({ partition, frames, nextSeq, publishedSeq, head }: PageParts) {
    this.partition = partition;
    this.frames = frames;
    this.nextSeq = nextSeq;
    this.publishedSeq = publishedSeq;
    this.head = head;
  }

  /** JSON of the page in pieces of any length, each built when the previous one is taken. */
  *json(): Generator<string> {
    const { partition, frames, nextSeq, publishedSeq, head } = this;
    yield `{"partition":${stringifyJson(partition)},"frames":[`;
    let separator = '';
    for (const frame of frames) {
      yield separator;
      yield* frame.json();
      separator = ',';
    }
    yield `],${stringifyJson({ nextSeq, publishedSeq, head }).slice(1)}`;
  }
}
