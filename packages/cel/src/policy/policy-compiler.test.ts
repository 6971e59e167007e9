import { expect, test } from 'vitest';
import { formatType } from '../types/cel-type.js';
import { type ExpressionPurpose, PolicyCompiler, SharedEnvironment } from './policy-compiler.js';

const shared = new SharedEnvironment();

function outcome(compiler: PolicyCompiler, expression: string, purpose: ExpressionPurpose): string {
  const compiled = compiler.compile(expression, purpose);
  return 'error' in compiled ? compiled.error : formatType(compiled.checked.resultType);
}

test('an expression has a type that its field accepts', () => {
  const compiler = new PolicyCompiler(shared, { params: false, variables: false });
  const outcomes = [
    outcome(compiler, 'object.ready == true', 'condition'),
    outcome(compiler, 'object.ready', 'condition'),
    outcome(compiler, '1', 'auditAnnotation'),
    outcome(compiler, 'null', 'auditAnnotation'),
    outcome(compiler, '[1]', 'variable'),
    outcome(compiler, 'Object{spec: Object.spec{replicas: 1}}', 'applyConfiguration'),
    outcome(compiler, 'Object.spec{}', 'applyConfiguration'),
    outcome(compiler, '[JSONPatch{op: "remove", path: "/a"}]', 'jsonPatch'),
    outcome(compiler, 'JSONPatch{}', 'jsonPatch'),
  ];
  expect(outcomes).toEqual([
    'bool',
    'must evaluate to bool but got dyn',
    'must evaluate to one of [string null_type] but got int',
    'null',
    'list(int)',
    'Object',
    'must evaluate to Object but got Object.spec',
    'list(JSONPatch)',
    'must evaluate to list(JSONPatch) but got JSONPatch',
  ]);
});

test('the policy and the field decide what an expression may read', () => {
  const plain = new PolicyCompiler(shared, { params: false, variables: false });
  const full = new PolicyCompiler(shared, { params: true, variables: true });
  full.declareVariable('limit', '[3]');
  full.declareVariable('wrong', '1 +');
  const outcomes = [
    outcome(plain, 'params.a == 1', 'condition'),
    outcome(plain, 'variables.a == 1', 'condition'),
    outcome(full, 'params.a == 1', 'condition'),
    outcome(full, 'variables.limit == [4]', 'condition'),
    outcome(full, 'variables.limit == "4"', 'condition'),
    outcome(full, 'variables.wrong == 1', 'condition'),
    outcome(full, 'variables.other == 1', 'condition'),
    outcome(full, 'authorizer.requestResource.check("get").allowed()', 'condition'),
    outcome(full, 'string(authorizer.path("/").check("get").allowed())', 'message'),
    outcome(full, 'Object{} == Object{}', 'condition'),
  ];
  expect(outcomes.map((text) => text.split('\n')[0])).toEqual([
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')",
    'bool',
    'bool',
    "compilation failed: ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(list(int), string)'",
    'bool',
    "compilation failed: ERROR: <input>:1:10: undefined field 'other'",
    'bool',
    "compilation failed: ERROR: <input>:1:8: undeclared reference to 'authorizer' (in container '')",
    "compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')",
  ]);
});
