import { messageOf, newBadRequest } from '@apiserver/apimachinery/errors';
import { parseRFC3339 } from '@apiserver/apimachinery/values';
import type { PlaneClock } from '../clock/plane-clock.js';
import type { EndpointResponse } from './endpoint-call.js';
import type { EndpointRoutes } from './endpoint-routes.js';

/** The time of the server: read, held, released, advanced by a duration or to a time. Each returns what it is then. */
export function clockRoutes(clock: PlaneClock): EndpointRoutes {
  const reading = (): EndpointResponse => ({
    type: 'json',
    value: { time: new Date(clock.now()).toISOString(), held: clock.held },
  });
  return {
    '/clock': { GET: reading },
    '/clock/hold': {
      POST: async (call) => {
        await call.fields();
        clock.hold();
        return reading();
      },
    },
    '/clock/release': {
      POST: async (call) => {
        await call.fields();
        clock.release();
        return reading();
      },
    },
    '/clock/advance': {
      POST: async (call) => {
        const { duration } = await call.fields('duration');
        if (typeof duration !== 'string') throw newBadRequest('duration: a text such as "1h30m" is required');
        await clock.advance(duration);
        return reading();
      },
    },
    '/clock/set': {
      POST: async (call) => {
        const { time } = await call.fields('time');
        await clock.advanceTo(timeOf(time));
        return reading();
      },
    },
  };
}

function timeOf(value: unknown): Date {
  if (typeof value !== 'string') throw newBadRequest('time: a text such as "2030-01-01T00:00:00Z" is required');
  try {
    const { seconds, nanoseconds } = parseRFC3339(value);
    return new Date(seconds * 1000 + nanoseconds / 1e6);
  } catch (error) {
    throw newBadRequest(`time: ${messageOf(error)}`);
  }
}
