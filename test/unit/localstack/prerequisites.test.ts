import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSupportedNode } from '../../../localstack/check-node.mjs';
import { localstack } from '../../../localstack/emulators/localstack.ts';
import { ministack } from '../../../localstack/emulators/ministack.ts';
import { UserError } from '../../../localstack/errors.ts';
import { readKnobs } from '../../../localstack/knobs.ts';
import { REPOSITORY } from '../../../localstack/paths.ts';
import {
  findPython,
  findPython313,
  isSupportedPython,
  type PythonProbe,
} from '../../../localstack/prerequisites.ts';

/** A machine with these Pythons; `venv` says whether each can make a virtual environment. */
function machine(pythons: Record<string, { version: string; venv: boolean }>): PythonProbe {
  return (command, code) => {
    const found = pythons[command];
    if (found === undefined || (code.includes('ensurepip') && !found.venv)) return undefined;
    return `${found.version}\n`;
  };
}

describe('findPython', () => {
  it('takes python3 when it is new enough', () => {
    const probe = machine({ python3: { version: '3.12.1', venv: true } });
    expect(findPython(probe)).toEqual({ command: 'python3', version: '3.12.1' });
  });

  it('looks for a newer one beside an old python3', () => {
    const probe = machine({
      python3: { version: '3.8.18', venv: true },
      'python3.11': { version: '3.11.7', venv: true },
    });
    expect(findPython(probe).command).toBe('python3.11');
  });

  it('says what to install when there is none', () => {
    expect(() => findPython(machine({}))).toThrow(UserError);
    expect(() => findPython(machine({}))).toThrow(/3\.10 or newer with venv, and no Python/);
  });

  it('names the old one that it found', () => {
    const probe = machine({ python3: { version: '3.9.18', venv: true } });
    expect(() => findPython(probe)).toThrow(/only Python 3\.9\.18 was found/);
  });

  it('names the package when only venv is missing', () => {
    const probe = machine({ python3: { version: '3.11.2', venv: false } });
    expect(() => findPython(probe)).toThrow(/apt-get install python3\.11-venv/);
  });
});

describe('findPython313', () => {
  const nobody = () => undefined;
  const good = { version: '3.13.0', venv: true };
  const old = { version: '3.11.7', venv: true };

  it('takes the one on the PATH, under whatever name', () => {
    expect(findPython313('', machine({ 'python3.13': good, python3: old }), nobody)).toEqual({
      command: 'python3.13',
      version: '3.13.0',
    });
    expect(findPython313('', machine({ python3: good }), nobody).command).toBe('python3');
  });

  it('asks pyenv and uv for one that is not on the PATH', () => {
    const pyenv = (command: string) => (command === 'pyenv' ? '/opt/3.13.0\n' : undefined);
    const probe = machine({
      python3: old,
      '/opt/3.13.0/bin/python3': good,
      '/uv/python3.13': good,
    });
    expect(findPython313('', probe, pyenv).command).toBe('/opt/3.13.0/bin/python3');
    const uv = (command: string) => (command === 'uv' ? '/uv/python3.13\n' : undefined);
    expect(findPython313('', probe, uv).command).toBe('/uv/python3.13');
  });

  it('takes the one that PYTHON313 names, and no other', () => {
    const probe = machine({ '/a/python': good, 'python3.13': good, '/b/python': old });
    expect(findPython313('/a/python', probe, nobody).command).toBe('/a/python');
    expect(() => findPython313('/b/python', probe, nobody)).toThrow(
      /PYTHON313=\/b\/python is none/,
    );
  });

  it('says what to install when there is none, newer ones included', () => {
    const probe = machine({ python3: { version: '3.14.0', venv: true } });
    expect(() => findPython313('', probe, nobody)).toThrow(UserError);
    expect(() => findPython313('', probe, nobody)).toThrow(
      /pyenv install 3\.13, uv python install/,
    );
  });

  it('names the package when only venv is missing', () => {
    const probe = machine({ 'python3.13': { version: '3.13.5', venv: false } });
    expect(() => findPython313('', probe, nobody)).toThrow(/apt-get install python3\.13-venv/);
  });
});

describe('versions', () => {
  it.each([
    ['3.9.18', false],
    ['3.10.0', true],
    ['3.13.0', true],
    ['2.7.18', false],
    ['4.0.0', true],
  ])('Python %s: %s', (version, supported) => {
    expect(isSupportedPython(version)).toBe(supported);
  });

  it.each([
    ['18.20.0', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['22.0.0', true],
  ])('Node %s: %s', (version, supported) => {
    expect(isSupportedNode(version)).toBe(supported);
  });
});

describe('readKnobs', () => {
  it('has the defaults of the contract', () => {
    expect(readKnobs({})).toEqual({
      localDir: join(REPOSITORY, '.local'),
      port: 4566,
      emulator: ministack,
    });
  });

  it('takes a relative LOCAL_DIR from the repository, wherever the command runs', () => {
    expect(readKnobs({ LOCAL_DIR: 'a/b' }).localDir).toBe(join(REPOSITORY, 'a/b'));
    expect(readKnobs({ LOCAL_DIR: '/a/b' }).localDir).toBe('/a/b');
    expect(readKnobs({ LOCAL_DIR: '' }).localDir).toBe(join(REPOSITORY, '.local'));
  });

  it('takes the emulator that EMULATOR names, and says which there are', () => {
    expect(readKnobs({ EMULATOR: 'localstack' }).emulator).toBe(localstack);
    expect(readKnobs({ EMULATOR: '' }).emulator).toBe(ministack);
    expect(() => readKnobs({ EMULATOR: 'moto' })).toThrow(
      'EMULATOR is moto: set it to one of ministack, localstack, localstack-docker.',
    );
  });

  it.each(['abc', '80', '70000', '4566.5'])('refuses EMULATOR_PORT=%s by name', (port) => {
    expect(() => readKnobs({ EMULATOR_PORT: port })).toThrow(/^EMULATOR_PORT is /);
  });
});
