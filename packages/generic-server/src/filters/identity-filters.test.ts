import type {
  ApiResponse,
  AuthorizationAttributes,
  AuthorizationResult,
  Filter,
  Handler,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { callHandler } from '../testing/call-handler.js';
import { authentication } from './authentication.js';
import { authorization } from './authorization.js';
import { buildHandlerChain } from './handler-chain.js';
import { requestInfo } from './request-info.js';

const { logger } = createTestLogger();
const bob: UserInfo = { name: 'bob', groups: [], extra: {} };
const ok: ApiResponse = { type: 'bytes', status: 200, body: undefined };
const info = requestInfo(logger);

const call = (filters: readonly Filter[], handler: Handler = () => ok) =>
  callHandler(buildHandlerChain(handler, [info, ...filters]));

describe('authentication', () => {
  it.each<[accepted: readonly string[], audiences: readonly string[] | undefined, status: number]>([
    [['api', 'b'], ['a', 'b'], 200],
    [['api'], ['a', 'b'], 401],
    [['api'], undefined, 200],
    [[], ['a'], 200],
  ])('accepts for the audiences %j a credential for %j: %d', async (apiAudiences, audiences, status) => {
    const response = { user: bob, ...(audiences && { audiences }) };
    const { logger: recorder, lines } = createTestLogger();
    const authenticator = { authenticateRequest: () => response };
    const filter = authentication({ authenticator, logger: recorder, apiAudiences });
    expect((await call([filter])).status).toBe(status);
    expect(lines.map(({ error }) => String(error))).toEqual(
      status === 200 ? [] : ['Error: unable to match the audience: [a b] , accepted: [api]'],
    );
  });

  it('tells which headers are for this server alone', async () => {
    const isIdentityHeader = (name: string) => name === 'x-my-user';
    const authenticator = { authenticateRequest: () => ({ user: bob }) };
    const seen: unknown[] = [];
    for (const options of [{ isIdentityHeader }, {}]) {
      await call([authentication({ authenticator, logger, ...options })], ({ context }) => {
        seen.push(context.isIdentityHeader);
        return ok;
      });
    }
    expect(seen).toEqual([isIdentityHeader, undefined]);
  });
});

describe('authorization', () => {
  const asBob: Filter = {
    name: 'asBob',
    wrap: (next) => (exchange) => {
      exchange.context.user = bob;
      return next(exchange);
    },
  };

  it.each([true, false])('passes the signal of the request to a remote authorizer: %s', async (isRemote) => {
    const seen: (AbortSignal | undefined)[] = [];
    const authorize = async (_: AuthorizationAttributes, signal?: AbortSignal): Promise<AuthorizationResult> => {
      seen.push(signal);
      return { decision: 'Allow', reason: '' };
    };
    await call([asBob, authorization({ authorizer: { isRemote, authorize }, logger })], (exchange) => {
      seen.push(isRemote ? exchange.signal : undefined);
      return ok;
    });
    expect([seen[0] === seen[1], seen[0] instanceof AbortSignal]).toEqual([true, isRemote]);
  });
});
