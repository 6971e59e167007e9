import { Buffer } from 'node:buffer';
import { FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { describe, expect, it } from 'vitest';
import { validateCABundle, validateWebhookService, validateWebhookURL } from './index.js';

const at = FieldPath.of('at');
const FORM = '; desired format: https://host[/path]';

describe('a URL', () => {
  it.each([
    ['https://host/path', []],
    ['https://host:8443', []],
    ['http://host', [`at: Invalid value: "http": 'https' is the only allowed URL scheme${FORM}`]],
    ['https://', [`at: Invalid value: "": host must be specified${FORM}`]],
    [
      'https://user:pass@host/a?b=c#d',
      [
        'at: Invalid value: "user:pass": user information is not permitted in the URL',
        'at: Invalid value: "d": fragments are not permitted in the URL',
        'at: Invalid value: "b=c": query parameters are not permitted in the URL',
      ],
    ],
    [
      'arg#backwards=thisis?html.index/port:host//:https',
      [
        `at: Invalid value: "": 'https' is the only allowed URL scheme${FORM}`,
        `at: Invalid value: "": host must be specified${FORM}`,
        'at: Invalid value: "backwards=thisis?html.index/port:host//:https": fragments are not permitted in the URL',
      ],
    ],
    [
      'https://a:b',
      [`at: Required value: url must be a valid URL: parse "https://a:b": invalid port ":b" after host${FORM}`],
    ],
    [
      'https://a b',
      [`at: Required value: url must be a valid URL: parse "https://a b": invalid character " " in host name${FORM}`],
    ],
  ])('%s', (url, messages) => {
    expect(validateWebhookURL(at, url, true).map(fieldErrorMessage)).toEqual(messages);
  });
});

describe('a service', () => {
  const service = { namespace: 'n', name: 'a', port: 443 };
  it.each([
    [service, []],
    [{ ...service, path: '/' }, []],
    [{ ...service, path: '/a/b/' }, []],
    [{ ...service, name: '' }, ['at.namespace: Required value']],
    [{ ...service, namespace: '' }, ['at.name: Required value']],
    [{ ...service, name: '', namespace: '' }, ['at.name: Required value', 'at.namespace: Required value']],
    [
      { ...service, port: 65_536 },
      ['at.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive'],
    ],
    [{ ...service, path: '//' }, ['at.path: Invalid value: "//": segment[0] may not be empty']],
    [{ ...service, path: '/a//b' }, ['at.path: Invalid value: "/a//b": segment[1] may not be empty']],
    [{ ...service, path: 'foo' }, [`at.path: Invalid value: "foo": must start with a '/'`]],
  ])('%j', (given, messages) => {
    expect(validateWebhookService(at, given).map(fieldErrorMessage)).toEqual(messages);
  });

  it('has labels as segments of its path', () => {
    const [error] = validateWebhookService(at, { ...service, path: '/A' }).map(fieldErrorMessage);
    expect(error).toContain('segment[0]: a lowercase RFC 1123 subdomain must consist of');
  });
});

describe('a caBundle', () => {
  const { certificate, key } = makeTestCertificate({ commonName: 'authority', authority: true });
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const unable = 'unable to load root certificates:';
  it.each([
    ['', undefined],
    [certificate, undefined],
    [broken + certificate, undefined],
    ['hello', `${unable} unable to parse bytes as PEM block`],
    [key, `${unable} no valid certificate authority data seen`],
    [broken, `${unable} failed to parse certificate: x509: malformed certificate`],
  ])('%#', (text, detail) => {
    const bundle = Buffer.from(text).toString('base64');
    const messages = validateCABundle(at, bundle).map(fieldErrorMessage);
    expect(messages).toEqual(detail === undefined ? [] : [`at: Invalid value: "${bundle}": ${detail}`]);
  });
});
