import { randomUUID } from 'node:crypto';
import type { Authenticator, TokenAuthenticator, UserInfo } from '@apiserver/apiserver-contracts';
import {
  audienceAgnostic,
  authenticatedGroupAdder,
  authenticatedTokenGroupAdder,
  bearerTokenAuthenticator,
  unionAuthenticator,
  unionTokenAuthenticator,
} from '@apiserver/authentication';
import type { KubeApiServerConfig } from '@apiserver/kube-apiserver';
import type { PlanePower } from '@apiserver/test-powers';

/** Bearer tokens that a test gives to users. */
export class TokenUsers implements PlanePower {
  readonly #users = new Map<string, UserInfo>();

  /** The same tokens for another plane, and later ones for each alone. */
  copy(): TokenUsers {
    const copy = new TokenUsers();
    for (const [token, user] of this.#users) copy.#users.set(token, user);
    return copy;
  }

  /** A token for the user, valid as long as the plane. */
  add(user: UserInfo): string {
    const token = `envtest-${randomUUID()}`;
    this.#users.set(token, user);
    return token;
  }

  configure({ generic }: KubeApiServerConfig): void {
    const tokens: TokenAuthenticator = {
      authenticateToken: async (token) => {
        const user = this.#users.get(token);
        return user && { user };
      },
    };
    const known = authenticatedTokenGroupAdder(audienceAgnostic(tokens, generic.apiAudiences));
    generic.tokenAuthenticator =
      generic.tokenAuthenticator === undefined ? known : unionTokenAuthenticator([known, generic.tokenAuthenticator]);
    const bearer = this.#ownTokens(authenticatedGroupAdder(bearerTokenAuthenticator(tokens)));
    generic.authenticator =
      generic.authenticator === undefined ? bearer : unionAuthenticator([bearer, generic.authenticator]);
  }

  /** Other tokens are the business of the plane's own authenticators, which refuse unknown ones. */
  #ownTokens(authenticator: Authenticator): Authenticator {
    return {
      authenticateRequest: (exchange) => {
        if (this.#users.size === 0) return undefined;
        const token = exchange.request.headers.get('authorization')?.trim().split(' ')[1] ?? '';
        return this.#users.has(token) ? authenticator.authenticateRequest(exchange) : undefined;
      },
    };
  }
}
