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
    [['--log-flush-frequency=0'], ['flushFrequency: Invalid value: "0s": Must be greater than zero']],
    [
      ['--log-json-split-stream', '--log-text-info-buffer-size=1500'],
      [
        'options.text.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled',
        'options.json.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled',
      ],
    ],
    [['--logging-format=json', '--vmodule=watch=4'], ['vmodule: Forbidden: Only supported for text log format']],
  ])('%j', (args, messages) => {
    expect(
      parsed(...args)
        .validate()
        .map(fieldErrorMessage),
    ).toEqual(messages);
  });

  it('has split streams and buffers with the feature gate', () => {
    const options = parsed('--logging-format=json', '--log-json-split-stream', '--log-json-info-buffer-size=4Ki');
    expect([options.validate({ hasAlphaOptions: true }), options.output]).toEqual([
      [],
      { format: 'json', splitStream: true, bufferSize: 4096, flushFrequency: 5_000 },
    ]);
    expect(() => parsed('--log-text-info-buffer-size=x')).toThrow(
      'invalid argument "x" for "--log-text-info-buffer-size" flag: quantities must match the regular expression',
    );
  });

  it('adds the patterns of each occurrence', () => {
    const { verbosity, vmodule } = parsed('-v=5', '--vmodule=a=1,b*=2', '--vmodule=c=3');
    expect([verbosity, vmodule.length]).toEqual([5, 3]);
  });
});
