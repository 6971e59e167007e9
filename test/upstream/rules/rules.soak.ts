import type { Pod } from '@apiserver/api/core/v1';
import { messageOf, newInternalError } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import {
  nameIsDNSSubdomain,
  validateConditions,
  validateDeleteOptions,
  validateLabelSelector,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery/validation';
import type { Amounts } from '@apiserver/apimachinery/values';
import { SelectorCompiler } from '@apiserver/cel';
import { it } from 'vitest';
import { podUsageAmounts } from '../../../packages/admission/src/pods/pod-usage.ts';
import { rewriteHtml } from '../../../packages/proxy/src/upgrade-aware/rewrite-html.ts';
import { LinkRewriter } from '../../../packages/proxy/src/upgrade-aware/rewrite-links.ts';
import { LINKS } from '../../../packages/proxy/src/upgrade-aware/rewrite-page.ts';
import { uncoveredRules } from '../../../packages/rbac-authorizer/src/escalation/covers.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { mutated } from '../mutated-text.ts';
import { describeUpstream } from '../upstream-program.ts';
import { type LinkCase, randomLink } from './random-link.ts';
import { maybe, randomCondition, randomMetadata, randomSelector, some } from './random-metadata.ts';
import { randomPodAmounts } from './random-pod-amounts.ts';

interface RuleCase {
  readonly rule: string;
}

/** A rule with its random values, and our answer to one. */
interface Rule {
  randomValue(random: Random): object;
  // biome-ignore lint/suspicious/noExplicitAny: each rule has values of its own
  ours(value: any): unknown;
  /** Upstream's answer in the form of ours. Default: unchanged. */
  theirs?(answer: never): unknown;
}

/** Upstream visits the members of maps in any order. */
const texts = (errors: readonly FieldError[]): readonly string[] => errors.map(fieldErrorMessage).sort();
const METADATA = FieldPath.of('metadata');

function answerOrError(answer: () => unknown): unknown {
  try {
    return answer();
  } catch (error) {
    return messageOf(error);
  }
}

/** Rules of roles without order and without empty members. */
function comparableRules(missing: readonly object[]): readonly string[] {
  const shown = missing.map((rule) =>
    JSON.stringify(
      Object.entries(rule)
        .filter(([, values]) => values?.length > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );
  return shown.sort();
}

const VERBS = ['get', 'list', '*', 'create'] as const;
const RESOURCES = ['pods', 'pods/status', '*', '*/status', 'deployments', 'pods/*', '*/*'] as const;
const PATHS = ['/a', '/a/*', '*', '/a/b', '/*', '/a*'] as const;

function randomRoleRule(random: Random): object {
  const verbs = some(random, 3, () => random.of(VERBS));
  if (random.chance(0.3)) return { verbs, nonResourceURLs: some(random, 3, () => random.of(PATHS)) };
  return {
    verbs,
    apiGroups: some(random, 3, () => random.of(['', 'apps', '*'])),
    resources: some(random, 3, () => random.of(RESOURCES)),
    ...maybe(random, 0.3, 'resourceNames', () => some(random, 3, () => random.of(['a', 'b', '']))),
  };
}

function randomDeleteOptions(random: Random): object {
  return {
    ...maybe(random, 0.3, 'orphanDependents', () => random.chance(0.5)),
    ...maybe(random, 0.4, 'propagationPolicy', () => random.of(['Orphan', 'x', '', 'Foreground'])),
    ...maybe(random, 0.4, 'dryRun', () => some(random, 3, () => random.of(['All', 'x', '']))),
    ...maybe(random, 0.4, 'ignoreStoreReadErrorWithClusterBreakingPotential', () => random.chance(0.7)),
    ...maybe(random, 0.4, 'gracePeriodSeconds', () => random.below(4) - 2),
    ...maybe(random, 0.3, 'preconditions', () => maybe(random, 0.5, 'uid', () => 'x')),
  };
}

const SELECTORS = [
  ...[
    'true',
    'device.driver == "x"',
    'device.attributes["dra.example.com"].name',
    '"dra.example.com" in device.attributes',
  ],
  ...['device.attributes["dra.example.com"].all(k, k.startsWith("a"))', 'device.attributes.exists(d, d == "x")'],
  ...[
    'device.capacity["dra.example.com"].mem.compareTo(quantity("1Gi")) >= 0',
    'device.allowMultipleAllocations == true',
  ],
  ...[
    'cel.bind(dra, device.attributes["dra.example.com"], dra.oneBool && dra.anotherBool)',
    'device.?driver.orValue("")',
  ],
  ...['device.attributes["dra.example.com"].v.isGreaterThan(semver("1.0.0"))', 'device.driver.matches("[a-z]+")'],
  ...['device.attributes["dra.example.com"].names.includes("a")', '[1, 2].all(x, x < 3)'],
] as [string, ...string[]];

const compilers = [false, true].flatMap((consumableCapacity) =>
  [false, true].map((listTypeAttributes) => {
    const features = { consumableCapacity, listTypeAttributes };
    return { features, compiler: new SelectorCompiler(features) };
  }),
);

function compiled({ expression, ...asked }: { readonly expression: string } & Record<string, unknown>): string {
  const found = compilers.find(
    ({ features }) =>
      features.consumableCapacity === asked['consumableCapacity'] &&
      features.listTypeAttributes === asked['listTypeAttributes'],
  );
  const result = found?.compiler.compile(expression);
  if (result === undefined) return 'no such compiler';
  return 'error' in result ? result.error : String(result.maxCost);
}

function rewritten({ scheme, host, pathPrepend, requestHost, location, page }: LinkCase): unknown {
  const links = new LinkRewriter({
    pathPrepend,
    requestHost,
    location: { scheme: 'http', hostname: 'back', port: '80', path: '/a', rawQuery: '' },
    ...(scheme !== '' && { origin: { scheme, host } }),
  });
  if (location === '') return rewriteHtml(page, LINKS, (link) => links.rewrite(link));
  try {
    return links.rewrite(location);
  } catch (error) {
    return newInternalError(`error trying to parse Location header: ${messageOf(error)}`).message;
  }
}

const listed = (amounts: Amounts): object =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()] as const).sort());

const RULES: Readonly<Record<string, Rule>> = {
  objectMeta: {
    randomValue: (random) => ({ meta: randomMetadata(random), namespaced: random.chance(0.6) }),
    ours: ({ meta, namespaced }) =>
      texts(validateObjectMeta(meta, { namespaced, path: METADATA, validateName: nameIsDNSSubdomain })),
  },
  objectMetaUpdate: {
    randomValue: (random) => {
      const old = randomMetadata(random);
      const changed = random.chance(0.3) ? randomMetadata(random) : { ...old, generation: random.below(3) };
      return { old, meta: changed };
    },
    ours: ({ meta, old }) => texts(validateObjectMetaUpdate(meta, old, METADATA)),
  },
  labelSelector: {
    randomValue: (random) => ({
      selector: randomSelector(random),
      labels: some(random, 4, () =>
        Object.fromEntries(some(random, 4, () => [random.of(['a', 'A', 'a-b']), random.of(['1', '2', '', 'a'])])),
      ),
    }),
    ours: ({ selector, labels }) => {
      const found = texts(validateLabelSelector(selector, {}, FieldPath.of('selector')));
      if (found.length > 0) return found;
      return answerOrError(() => {
        const made = labelSelectorAsSelector(selector);
        return [made.toString(), ...labels.map((one: Readonly<Record<string, string>>) => made.matches(one))];
      });
    },
  },
  conditions: {
    randomValue: (random) => ({ conditions: some(random, 4, () => randomCondition(random)) }),
    ours: ({ conditions }) => texts(validateConditions(conditions, FieldPath.of('status', 'conditions'))),
  },
  deleteOptions: {
    randomValue: (random) => ({ options: randomDeleteOptions(random) }),
    ours: ({ options }) => texts(validateDeleteOptions(options)),
  },
  covers: {
    randomValue: (random) => ({
      owners: some(random, 4, () => randomRoleRule(random)),
      granted: some(random, 4, () => randomRoleRule(random)),
    }),
    ours: ({ owners, granted }) => comparableRules(uncoveredRules(owners, granted)),
    theirs: (answer: readonly object[] | null) => comparableRules(answer ?? []),
  },
  podAmounts: {
    randomValue: (random) => ({ pod: randomPodAmounts(random) }),
    ours: ({ pod }: { readonly pod: Pod }) => [
      listed(podUsageAmounts(pod, 'requests')),
      listed(podUsageAmounts(pod, 'limits')),
    ],
  },
  deviceSelector: {
    randomValue: (random) => ({
      expression: random.chance(0.2) ? random.of(SELECTORS) : mutated(random, random.of(SELECTORS)),
      consumableCapacity: random.chance(0.7),
      listTypeAttributes: random.chance(0.4),
    }),
    ours: compiled,
  },
  link: { randomValue: randomLink, ours: rewritten },
};

const NAMES = Object.keys(RULES) as [string, ...string[]];

describeUpstream('rules of modules', (upstream) => {
  it('answer as upstream', () =>
    compareCases<RuleCase, unknown>(upstream(), {
      area: 'rule',
      randomCase: (random) => {
        const rule = random.of(NAMES);
        return { rule, ...RULES[rule]?.randomValue(random) };
      },
      ours: (one) => RULES[one.rule]?.ours(one),
      theirs: ({ answer }: { readonly answer: never }, { rule }) => RULES[rule]?.theirs?.(answer) ?? answer,
    }));
});
