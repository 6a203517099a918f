import { isSpace } from './characters.ts';
import { marker } from './marker.ts';
import { scanText } from './scan-text.ts';
import { isSecretName } from './secret-names.ts';
import { wordAt } from './shell-word.ts';
import { isSqlLike } from './sql-like.ts';

const MARKER = marker('command');

/** Flags whose value is a program or a statement. */
const CODE_FLAGS = new Set(
  '-c -e -q --command --execute --query --sql --eval --exec --code --script --data --data-raw --data-binary --data-urlencode --form-string --arg --argjson --header --body --form --vars --extra-vars --env --conf-json'.split(
    ' ',
  ),
);
/** Short flags that take a password in some program, where others take a port or a path. */
const PASSWORD_FLAGS = new Set(
  '-p -P -u -U -k -a -w -W -H -d -F --key --user --proxy-user'.split(' '),
);
/** Programs that take the password glued to the flag, and what looks like one elsewhere: no port, and more than a word. */
const GLUED_PASSWORD = /^-p./;
const GLUED_SECRET = /^-[pPaukU](?![\d.:]+$)(?=.{0,64}[\dA-Z:])./;
const GLUED_PROGRAMS = new Set([
  'mysql',
  'mysqldump',
  'mysqladmin',
  'mysqlimport',
  'mariadb',
  'mariadb-dump',
  'sshpass',
  '7z',
]);

/** Programs that take `user/password` as a word. */
const EASY_CONNECT_PROGRAMS = new Set('sqlplus sqlldr sql exp imp expdp impdp rman'.split(' '));

/** Words behind a program that say what it does. */
const SUBCOMMANDS = new Set(
  'run build test submit exec start stop restart deploy seed snapshot compile apply plan install init sync list show describe get create delete update destroy docs debug parse source dags tasks backfill trigger worker scheduler webserver standalone query load extract cp mv rm ls mb put push pull commit clone fetch checkout python python3 java bash sh spark-submit dbt airflow s3 s3api glue athena redshift-data emr lambda batch ecs bq gsutil'.split(
    ' ',
  ),
);

/** A number, a switch, a host with a port, a name with dots, or a path: nothing that a person would be asked for. */
const PLAIN_VALUE =
  /^(?:\d{1,8}|true|false|yes|no|on|off|[a-z]:\\[\w.\\-]{0,1000}|[\w.-]{1,200}:\d{1,5}|[\w.~-]{0,200}[./][\w./:%+,=*-]{0,1000})$/i;

/** Flags whose value says what is worked on: one word of it stays. */
const NAMING_FLAGS = new Set(
  '-h -s -m -t -n -f -o -i --select --models --model --exclude --resource-type --target --profile --target-path --profiles-dir --project-dir --selector --name --job-name --namespace --class --master --deploy-mode --queue --region --table --schema --database --db --dbname --host --hostname --port --file --output --format --input --log-level --mode --packages --jars --py-files --driver-memory --executor-memory --num-executors --executor-cores --env-name --stage --branch --task --dag --dag-id --run-id --cluster --bucket --workspace --package --module --version'.split(
    ' ',
  ),
);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_.]{0,127}=/;

const OPERATOR = /[|&;]+/y;

/**
 * A command line, by the quoting rules of a shell, without what it was told in confidence: programs,
 * flags, files and hosts stay; values of secret flags, environment assignments, code and every word that
 * is none of these go. An open quote goes to the end.
 */
export function redactCommandLine(line: string): string {
  const state = newCommand();
  let redacted = '';
  let at = 0;
  while (at < line.length) {
    if (isSpace(line.charCodeAt(at))) {
      // A new line is a new command.
      if (line[at] === '\n') startCommand(state);
      redacted += line[at++];
      continue;
    }
    if (line.startsWith('<<', at)) return `${redacted}<<${MARKER}`;
    OPERATOR.lastIndex = at;
    const found = OPERATOR.exec(line)?.[0];
    if (found !== undefined) {
      redacted += found;
      at += found.length;
      startCommand(state);
      continue;
    }
    const word = wordAt(line, at);
    const stored = redactArgument(word.text, state);
    redacted += stored === word.text ? line.slice(at, word.end) : stored;
    at = word.end;
  }
  return redacted;
}

interface State {
  isProgram: boolean;
  isSubcommand: boolean;
  /** The flag that the next word may be the value of. */
  flag: string | undefined;
  program: string;
}

function newCommand(): State {
  return { isProgram: true, isSubcommand: false, flag: undefined, program: '' };
}

function startCommand(state: State): void {
  Object.assign(state, newCommand());
}

function redactArgument(argument: string, state: State): string {
  const { flag } = state;
  state.flag = undefined;
  if (argument === MARKER || argument === '') return argument;
  const isFlag = argument.startsWith('-') && argument !== '-' && !/\s/.test(argument.slice(0, 64));
  if (isFlag) {
    state.isSubcommand = false;
    return redactFlag(argument, state);
  }
  if (flag !== undefined) {
    if (CODE_FLAGS.has(flag) || isSecretName(flag)) return MARKER;
    if (PASSWORD_FLAGS.has(flag) && !/^\d{1,5}$/.test(argument)) return MARKER;
    return redactValue(flag, argument);
  }
  const assignment = ASSIGNMENT.exec(argument)?.[0];
  if (assignment !== undefined) {
    if (state.isProgram) return assignment + MARKER; // an environment variable
    return isSecretName(assignment)
      ? assignment + MARKER
      : assignment + redactPositional(argument.slice(assignment.length));
  }
  if (state.isProgram) {
    state.isProgram = false;
    state.isSubcommand = true;
    state.program = argument.slice(argument.lastIndexOf('/') + 1);
    return isClean(argument) && /^[\w./\\:+-]{1,256}$/.test(argument) ? argument : MARKER;
  }
  if (state.isSubcommand && SUBCOMMANDS.has(argument)) return argument;
  state.isSubcommand = false;
  // `sudo mysql`, `docker exec db sqlplus`: the program that takes the password comes later.
  const program = argument.slice(argument.lastIndexOf('/') + 1);
  if (EASY_CONNECT_PROGRAMS.has(program) || GLUED_PROGRAMS.has(program)) state.program = program;
  if (EASY_CONNECT_PROGRAMS.has(state.program) && /^[^@]{1,64}\//.test(argument)) return MARKER;
  return SUBCOMMANDS.has(argument) ? argument : redactPositional(argument);
}

function redactFlag(argument: string, state: State): string {
  if (argument.slice(2) === MARKER) return argument;
  const equals = argument.indexOf('=');
  const name = equals === -1 ? argument : argument.slice(0, equals);
  if (!/^-{1,2}[\w.:-]{0,128}$/.test(name)) return MARKER;
  if (equals === -1) {
    if (
      GLUED_PASSWORD.test(argument) &&
      !argument.startsWith('--') &&
      GLUED_PROGRAMS.has(state.program)
    ) {
      return `-p${MARKER}`;
    }
    if (GLUED_SECRET.test(argument)) return `${argument.slice(0, 2)}${MARKER}`;
    state.flag = argument;
    return isClean(argument) ? argument : MARKER;
  }
  const value = argument.slice(equals + 1);
  // `--conf spark.x.password=y`, `-Dpassword=y`, and a pair inside a pair.
  if (value === '' || value === MARKER) return argument;
  if (isSecretName(name) || CODE_FLAGS.has(name) || PASSWORD_FLAGS.has(name))
    return `${name}=${MARKER}`;
  const inner = ASSIGNMENT.exec(value)?.[0];
  if (inner !== undefined && isSecretName(inner)) return `${name}=${inner}${MARKER}`;
  return `${name}=${redactValue(name, value)}`;
}

/** The value of a flag that is not known to be secret: what any word may be, and one word where a flag names something. */
function redactValue(flag: string, value: string): string {
  const inner = ASSIGNMENT.exec(value)?.[0];
  if (inner !== undefined && isSecretName(inner)) return inner + MARKER;
  const isName = NAMING_FLAGS.has(flag) && /^[\w.:+*,/@-]{1,256}$/.test(value);
  return isName && isClean(value) ? value : redactPositional(value);
}

function redactPositional(value: string): string {
  return PLAIN_VALUE.test(value) && isClean(value) ? value : cleanUrl(value);
}

/** A URL stays without its secrets; anything else goes. */
function cleanUrl(value: string): string {
  if (!value.includes('://') || !/^\S{1,2048}$/.test(value)) return MARKER;
  const scanned = scanText(value)?.text ?? value;
  return PLAIN_URL.test(scanned) ? scanned : MARKER;
}

const PLAIN_URL = /^[\w.+:-]{1,64}:\/\/[\w./:@%+,=*?&[\]-]{0,2048}$/;

function isClean(text: string): boolean {
  return text.length <= 1024 && scanText(text) === undefined && !isSqlLike(text);
}
