import { expect, it } from 'vitest';
import type { VersionedAttributes } from '../matching/versioned-request.js';
import { testAttributes } from '../testing/attributes.js';
import { ReviewWriter } from './review-request.js';

it('shows a webhook all digits of a grace period', () => {
  const options = { gracePeriodSeconds: 2n ** 63n - 1n, propagationPolicy: undefined };
  const attributes = testAttributes({ operation: 'DELETE', options });
  const { kind, resource } = attributes;
  const versioned = { attributes, version: { kind, resource } } as unknown as VersionedAttributes;
  const text = new ReviewWriter().write(versioned, 'u', 'v1');
  const sent = '{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","gracePeriodSeconds":9223372036854775807}';
  expect(text.endsWith(`"dryRun":false,"options":${sent}}}`)).toBe(true);
});
