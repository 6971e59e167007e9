import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startInMemory, until } from '../testing/memory-server.js';
import {
  comparable,
  readConversations,
  type UpstreamConversation,
  type UpstreamResponse,
  type UpstreamStep,
} from '../testing/upstream-conversation.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let server: ReturnType<typeof startInMemory>;
beforeEach(async () => {
  server = startInMemory();
  await server.started;
});
afterEach(() => server.stop());

/** The recorded part of a response. */
function shown(
  { code, json, warnings }: Awaited<ReturnType<typeof server.ask>>,
  expected: UpstreamResponse,
): UpstreamResponse {
  const reported = warnings.length === 0 ? {} : { warnings };
  if (json.kind !== 'Status' || code < 400) return { code, ...withBody(json, expected), ...reported };
  const causes = json.details?.causes;
  return {
    code,
    ...(json.reason !== undefined && { reason: json.reason }),
    ...((causes ?? []).length < 2 && { message: comparable(json.message) as string }),
    ...(causes !== undefined && { causes: comparable(causes, 'causes') as readonly unknown[] }),
    ...reported,
  };
}

/** An object, or a list whose names were recorded. */
interface Shown {
  readonly spec?: unknown;
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
}

function withBody(json: Shown, { body }: UpstreamResponse): Pick<UpstreamResponse, 'body'> {
  if (body === undefined) return {};
  if (Array.isArray(body)) return { body: (json.items ?? []).map(({ metadata }) => metadata.name) };
  const keys = Object.keys(body as object);
  return { body: comparable(keys.length === 1 && keys[0] === 'spec' ? { spec: json.spec } : json) };
}

async function take(step: UpstreamStep): Promise<UpstreamResponse> {
  const { body, versionOf } = step;
  if (body === undefined || versionOf === undefined) return shown(await server.ask(step), step.expect);
  const { json } = await server.ask({ method: 'GET', path: versionOf });
  const object = JSON.parse(body);
  object.metadata.resourceVersion = json.metadata.resourceVersion;
  return shown(await server.ask({ ...step, body: JSON.stringify(object) }), step.expect);
}

async function converse({ definition, expect: expected, steps }: UpstreamConversation): Promise<void> {
  const made = await server.ask({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(definition) });
  expect(shown(made, expected)).toEqual(expected);
  if (steps.length === 0 || made.code !== 201) return;
  const { group, names, versions } = definition.spec;
  const served = (versions ?? []).find((version) => version.served)?.name ?? '';
  await until(server, `/apis/${group}/${served}/${names.plural}`, () => true);
  for (const [i, step] of steps.entries()) {
    if (step.changesDefinition === true) await eventLoopTurns();
    expect({ step: i, ...(await take(step)) }).toEqual({ step: i, ...step.expect });
  }
}

describe.each(['custom-resources.json', 'definitions.json', 'selectable-fields.json', 'found-by-chance.json'])(
  'as 1.36 responded: %s',
  (file) => {
    it.each(readConversations(file).map((conversation) => [conversation.name, conversation] as const))(
      '%s',
      (_name, conversation) => converse(conversation),
    );
  },
);
