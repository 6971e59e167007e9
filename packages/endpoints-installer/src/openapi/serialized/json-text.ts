import type { JsonObject } from '@apiserver/apimachinery';

/** The JSON of an object, in a step for each member down to a depth. */
export function* jsonText(object: JsonObject, depth: number): Generator<void, string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(object)) {
    const isDivided = depth > 0 && typeof value === 'object' && value !== null && !Array.isArray(value);
    const text = isDivided ? yield* jsonText(value as JsonObject, depth - 1) : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}:${text}`);
    yield;
  }
  return `{${members.join(',')}}`;
}
