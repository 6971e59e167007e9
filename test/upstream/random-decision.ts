import { createHash } from 'node:crypto';
import type { SentReview, Verdict } from '../webhooks/fake-webhook.ts';
import { inOrder } from './in-order.ts';

/** A random decision about an access, always the same for the same access. */
export function randomDecision({ spec }: SentReview): Verdict {
  const chosen = createHash('sha256').update(JSON.stringify(spec, inOrder)).digest()[0] ?? 0;
  if (chosen < 130) return { allowed: true };
  if (chosen < 200) return { allowed: false, reason: chosen % 2 === 0 ? '' : 'no rule' };
  return { allowed: false, denied: true, reason: 'never' };
}
