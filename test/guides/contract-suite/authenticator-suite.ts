import type { Authenticator, Exchange } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';

/** Differences between authenticators. */
export interface AuthenticatorTraits {
  /** An authenticator of the kind under test. */
  create(): Authenticator;
  /** A request with a good credential of this kind. */
  good(): Exchange;
  /** A request with a bad one; absent with a reason if no credential of this kind can be bad. */
  readonly bad: (() => Exchange) | { readonly skip: string };
  /** A request without a credential of this kind. */
  none(): Exchange;
}

/** The contract of `Authenticator`, for every implementation. */
export function authenticatorSuite(name: string, { create, good, bad, none }: AuthenticatorTraits): void {
  describe(`Authenticator: ${name}`, () => {
    it('names the user of a good credential', async () => {
      expect((await create().authenticateRequest(good()))?.user.name).not.toBe('');
    });

    it('has no opinion without a credential, and returns no promise', () => {
      expect(create().authenticateRequest(none())).toBeUndefined();
    });

    const skip = 'skip' in bad ? bad.skip : undefined;
    it.skipIf(skip !== undefined)(`throws for a bad credential${skip === undefined ? '' : ` (${skip})`}`, async () => {
      const request = 'skip' in bad ? none() : bad();
      await expect(async () => create().authenticateRequest(request)).rejects.toThrow();
    });
  });
}
