import { messageOf } from '@apiserver/apimachinery/errors';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { mutated } from './mutated-text.ts';
import { describeUpstream } from './upstream-program.ts';

const SEGMENTS = [
  ...['api', 'apis', 'v1', 'apps', 'namespaces', 'n', 'pods', 'p', 'status', 'finalize', 'watch', 'proxy', 'log', ''],
  ...['deletecollection', 'nodes', 'exec', 'a.b', '-'],
] as [string, ...string[]];
const STARTS = ['/api/v1', '/apis/apps/v1', '/api/v1/namespaces/n', '/apis/apps/v1/namespaces/n', '/', ''] as const;
const QUERIES = [
  ...[
    'watch=true',
    'watch=1',
    'watch=false',
    'watch=x',
    'watch',
    'limit=1',
    'limit=x',
    'timeoutSeconds=x',
    'labelSelector=a=1',
  ],
  ...[
    'fieldSelector=metadata.name=a',
    'fieldSelector=metadata.name=a,metadata.name=b',
    'fieldSelector=metadata.name!=a',
    'fieldSelector=a=',
  ],
  ...[
    'fieldSelector=metadata.name=a/b',
    'labelSelector=!',
    'fieldSelector=metadata.name==a,spec.x=1',
    'fieldSelector=metadata.name=..',
  ],
] as [string, ...string[]];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get', 'CONNECT'] as const;

interface InfoCase {
  readonly method: string;
  readonly url: string;
}

/** Characters that neither a URL nor this comparison treats in a way of its own. */
const PLAIN = /[^\w.,=!&/?-]/g;

function randomCase(random: Random): InfoCase {
  const path = random.of(STARTS) + Array.from({ length: random.below(6) }, () => `/${random.of(SEGMENTS)}`).join('');
  const query = Array.from({ length: random.below(3) }, () => random.of(QUERIES)).join('&');
  const plain = (text: string) => (random.chance(0.2) ? mutated(random, text).replaceAll(PLAIN, '') : text);
  const [safePath] = plain(path).split('?', 1);
  return { method: random.of(METHODS), url: `/${safePath?.replace(/^\//, '')}${query && `?${plain(query)}`}` };
}

function ours({ method, url }: InfoCase): object {
  try {
    const { isResourceRequest, path, verb, parts, ...names } = resolveRequestInfo(
      createTestExchange({ method, url }).request,
    );
    return { isResourceRequest, path, verb, parts, ...names };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Go's names of the members, and null for no parts. */
function theirs(answer: Readonly<Record<string, unknown>>): object {
  if ('error' in answer) return answer;
  const lowerFirst = (name: string) => name.replace(/^API|^./, (start) => start.toLowerCase());
  const members = Object.entries(answer).map(([name, value]) => [lowerFirst(name), value] as const);
  return Object.fromEntries(members.map(([name, value]) => [name, value ?? []]));
}

describeUpstream('request info', (upstream) => {
  it('is that of upstream', () => compareCases(upstream(), { area: 'requestInfo', randomCase, ours, theirs }));
});
