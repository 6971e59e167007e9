import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';
import { type AuthorizationCheck, AuthorizationDecisions, type CheckDecision } from './decisions.js';
import { AuthorizerValue } from './values.js';

/** Evaluates with an asynchronous authorizer that allows `get`. Gives the outcome and the verbs it was asked for. */
async function decide(text: string, decisions = new AuthorizationDecisions()) {
  const asked: AuthorizationCheck[] = [];
  const authorizer = new AuthorizerValue(decisions);
  const authorize = async (check: AuthorizationCheck): Promise<CheckDecision> => {
    asked.push(check);
    await Promise.resolve();
    return { allowed: check.verb === 'get', reason: `asked for ${check.verb}`, error: undefined };
  };
  const outcome = await decisions.decide(() => evaluateText(text, { authorizer }), authorize);
  return { outcome, asked: asked.map(({ verb }) => verb), checks: asked };
}

test('an expression waits for decisions, and its cost counts once', async () => {
  const both = await decide(
    'authorizer.path("/a").check("get").allowed() && authorizer.path("/a").check("put").allowed()',
  );
  expect([both.outcome, both.asked]).toEqual([
    ['false', 700_006],
    ['get', 'put'],
  ]);
});

test('a check is not asked for where upstream does not need it', async () => {
  const either = await decide(
    'authorizer.path("/a").check("get").allowed() || authorizer.path("/a").check("put").allowed()',
  );
  expect([either.outcome, either.asked]).toEqual([['true', 350_003], ['get']]);
});

test('decisions are kept for the expressions of a request', async () => {
  const decisions = new AuthorizationDecisions();
  const text = 'authorizer.group("").resource("pods").check("list").reason()';
  const first = await decide(text, decisions);
  const second = await decide(text, decisions);
  expect([first.asked, second.asked, second.outcome[0]]).toEqual([['list'], [], 'asked for list']);
});

test('a check has the attributes that the expression writes', async () => {
  const { checks } = await decide(
    'authorizer.serviceAccount("ns", "builder").group("g").resource("r").subresource("s").namespace("n").name("x")' +
      '.fieldSelector("a=b").labelSelector("a b").check("get").allowed()',
  );
  const [{ serviceAccount, target } = { serviceAccount: undefined, target: { path: '' } }] = checks;
  const { fieldSelector, labelSelector, ...rest } = { fieldSelector: undefined, labelSelector: undefined, ...target };
  expect([serviceAccount, rest, String(Object.values(fieldSelector ?? {})), labelSelector]).toEqual([
    { namespace: 'ns', name: 'builder' },
    { group: 'g', resource: 'r', subresource: 's', namespace: 'n', name: 'x' },
    'a=b',
    { error: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
  ]);
});
