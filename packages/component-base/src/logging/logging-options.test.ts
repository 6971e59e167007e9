import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { NamedFlagSets } from '../flags/index.js';
import { LoggingOptions } from './logging-options.js';

function parsed(...args: readonly string[]) {
  const options = new LoggingOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('logs'));
  sets.parse(args);
  return options;
}

describe('LoggingOptions', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [['--logging-format=json'], []],
    [['--vmodule=watch=4'], []],
    [['--logging-format=xml'], ['format: Invalid value: "xml": Unsupported log format']],
    [['--logging-format=json', '--vmodule=watch=4'], ['vmodule: Forbidden: Only supported for text log format']],
  ])('%j', (args, messages) => {
    expect(
      parsed(...args)
        .validate()
        .map(fieldErrorMessage),
    ).toEqual(messages);
  });

  it('adds the patterns of each occurrence', () => {
    const { verbosity, vmodule } = parsed('-v=5', '--vmodule=a=1,b*=2', '--vmodule=c=3');
    expect([verbosity, vmodule.length]).toEqual([5, 3]);
  });
});
