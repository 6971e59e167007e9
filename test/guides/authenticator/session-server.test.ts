import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { callHandler } from '@apiserver/generic-server/testing';
import { expect, it } from 'vitest';
import { sessionServer } from './session-server.js';

const alice = { name: 'alice', groups: ['dev'], extra: {} };

it.each([
  ['session=s1', 200, 'alice dev,system:authenticated'],
  ['', 200, 'system:anonymous system:unauthenticated'],
  ['session=s2', 401, 'Unauthorized'],
])('serves the cookie "%s" with %i', async (cookie, status, body) => {
  const server = sessionServer(async (id) => (id === 's1' ? alice : undefined), silentLogger).prepareServer();
  const response = await callHandler(server.handler, { url: '/whoami', headers: { cookie } });
  expect(response.status).toBe(status);
  expect(response.body).toContain(body);
});
