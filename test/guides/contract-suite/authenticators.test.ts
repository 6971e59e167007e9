import { createX509Authenticator } from '@apiserver/authentication';
import { makeTestCertificate, testAuthenticationExchange } from '@apiserver/authentication/testing';
import { sessionAuthenticator } from '../authenticator/session-authenticator.js';
import { authenticatorSuite } from './authenticator-suite.js';

const request = (given = {}) => testAuthenticationExchange(given).exchange;
const alice = { name: 'alice', groups: [], extra: {} };

authenticatorSuite('session', {
  create: () => sessionAuthenticator(async (id) => (id === 's1' ? alice : undefined)),
  good: () => request({ headers: { cookie: 'session=s1' } }),
  bad: () => request({ headers: { cookie: 'session=s2' } }),
  none: () => request(),
});

const authority = makeTestCertificate({ commonName: 'authority', authority: true });
const stranger = makeTestCertificate({ commonName: 'stranger', authority: true });
const shows = (issuer: typeof authority) => () =>
  request({ certificates: { chain: [makeTestCertificate({ commonName: 'alice', issuer }).der], memo: new Map() } });

authenticatorSuite('x509', {
  create: () => createX509Authenticator({ clientCAs: () => authority.certificate, now: Date.now }),
  good: shows(authority),
  bad: shows(stranger),
  none: () => request(),
});
