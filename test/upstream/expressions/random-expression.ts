import type { Random } from '../../watch/random.ts';
import { mutated } from '../mutated-text.ts';
import { EXPRESSIONS } from './expression-templates.ts';
import { randomLiteral } from './random-literal.ts';

/** A variable, or a path from one, and the name of its type in EXPRESSIONS. */
export interface TypedPath {
  readonly path: string;
  readonly type: string;
}

/** Most levels of calls. */
const DEPTH = 4;
const TYPES = Object.keys(EXPRESSIONS) as [string, ...string[]];
/** A place for an expression of a type, with the variables that it sees: {int}, {int|x:string,y}. */
const PLACE = /\{(\w+)(?:\|([\w:,]+))?\}/g;

/** Random expressions over paths. Most of them have the right types. */
export class RandomExpression {
  readonly #random: Random;
  readonly #paths: readonly TypedPath[];
  #names = 0;

  constructor(random: Random, paths: readonly TypedPath[]) {
    this.#random = random;
    this.#paths = paths;
  }

  /** An expression of the type. A few of the texts are broken. */
  text(type = this.#random.of(TYPES)): string {
    const text = this.#expression(type, this.#paths, 0);
    return this.#random.chance(0.04) ? mutated(this.#random, text) : text;
  }

  #expression(wanted: string, scope: readonly TypedPath[], depth: number): string {
    const type = this.#random.chance(0.02) ? this.#random.of(TYPES) : wanted;
    if (type === 'any') return this.#expression(this.#random.of(TYPES), scope, depth);
    const known = scope.filter((path) => path.type === type).map(({ path }) => path);
    const [first, ...others] = known;
    if (first !== undefined && this.#random.chance(0.35)) return this.#random.of([first, ...others]);
    const { atoms, calls } = EXPRESSIONS[type] ?? { atoms: ['null'], calls: [] };
    const [call, ...rest] = calls;
    if (call === undefined || depth >= DEPTH || this.#random.chance(0.2)) {
      return randomLiteral(this.#random, type, atoms);
    }
    if (this.#random.chance(0.03)) return `dyn(${this.#expression(type, scope, depth + 1)})`;
    return this.#filled(this.#random.of([call, ...rest]), scope, depth);
  }

  /** Names of variables in templates are x, y and z with a $ before them: each call gets its own. */
  #filled(template: string, scope: readonly TypedPath[], depth: number): string {
    const own = this.#random.chance(0.9) ? `${this.#names++}` : '';
    const text = template.replaceAll(PLACE, (_, type: string, variables?: string) => {
      const seen = (variables?.split(',') ?? []).map((variable) => {
        const [name = '', of = 'any'] = variable.split(':');
        return { path: `${name}${own}`, type: of };
      });
      return this.#expression(type, [...scope, ...seen], depth + 1);
    });
    return text.replaceAll(/\$([xyz])/g, (_, name: string) => `${name}${own}`);
  }
}
