import { readFileSync } from 'node:fs';
import { hasElapsed } from '@apiserver/apimachinery/clock';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';

/** A text that may change while the program runs. */
export type FollowedText = () => string;

/** When a file is read again. */
export interface FollowedFile {
  readonly path: string;
  /** Milliseconds for which the text is taken as it was read. */
  readonly freshFor: number;
  /** Milliseconds of a clock for durations. */
  readonly now: () => number;
}

/**
 * The text of a file, which is read now and, once it is no longer fresh, again when it is asked for. A file that is
 * empty then, or cannot be read, leaves its last text. Throws Node's error when it cannot be read now.
 * Upstream: fileTokenSource and cachingTokenSource of k8s.io/client-go/transport
 */
export function followedFile({ path, freshFor, now }: FollowedFile): FollowedText {
  let text = readFileSync(path, 'utf8');
  let readAt = now();
  return () => {
    if (!hasElapsed({ now }, readAt, freshFor)) return text;
    readAt = now();
    try {
      const next = readFileSync(path, { encoding: 'utf8', flag: READ_WITHOUT_WAITING });
      if (next.trim() !== '') text = next;
    } catch {
      // The last text stays.
    }
    return text;
  };
}
