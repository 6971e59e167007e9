import { PolicyCompiler, SharedEnvironment } from '../policy/policy-compiler.js';
import { MadeObject } from '../values/made-object.js';

const compiler = new PolicyCompiler(new SharedEnvironment(), { params: false, variables: false });

/** The object that an expression of a mutating policy makes, such as `Object{spec: Object.spec{a: 1}}`. */
export function madeObject(text: string): MadeObject {
  const compiled = compiler.compile(text, 'applyConfiguration');
  if ('error' in compiled) throw new TypeError(compiled.error);
  const { result } = compiled.program.evaluate([], 1_000_000);
  if (!(result instanceof MadeObject)) throw new TypeError('no object');
  return result;
}
