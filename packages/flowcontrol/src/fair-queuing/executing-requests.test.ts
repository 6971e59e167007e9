import { describe, expect, it } from 'vitest';
import { ExecutingRequests } from './executing-requests.js';

const requestOf = () => ({ placeAmongExecuting: -1 });

describe('ExecutingRequests', () => {
  it('forgets requests in any order, each once', () => {
    const requests = new ExecutingRequests<ReturnType<typeof requestOf>>();
    const [a, b, c] = [requestOf(), requestOf(), requestOf()];
    for (const request of [a, b, c]) requests.add(request);
    requests.delete(a);
    requests.delete(a);
    expect(new Set(requests)).toEqual(new Set([b, c]));
    requests.delete(c);
    expect([...requests]).toEqual([b]);
    requests.add(a);
    requests.delete(b);
    expect([requests.size, ...requests]).toEqual([1, a]);
  });

  it('ignores a request of another collection', () => {
    const [requests, others] = [
      new ExecutingRequests<ReturnType<typeof requestOf>>(),
      new ExecutingRequests<ReturnType<typeof requestOf>>(),
    ];
    const [own, other] = [requestOf(), requestOf()];
    requests.add(own);
    others.add(other);
    requests.delete(other);
    expect([...requests]).toEqual([own]);
    expect([...others]).toEqual([other]);
  });
});
