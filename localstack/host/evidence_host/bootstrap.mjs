// Runs one execution environment of a function. Takes a JSON line `{invoke-id, invoked-function-arn, trace-id, payload,
// timeout}` for each invocation on stdin; says on the file descriptor of its first argument `ready`, `response <json>`,
// `error <json>`, `fatal <json>` (the process ends after it) and `log <json string>`, one a line.
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

/** What Lambda lets through; https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, with its overhead. */
const MAX_RESPONSE_BYTES = 6_291_556;

const channel = Number(process.argv[2]);
let requestId = 'undefined';

/** Blocks until everything is written, so that nothing is lost when the process ends right after. */
function say(kind, text = '') {
  let rest = Buffer.from(`${kind} ${text}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(channel, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function describe(error) {
  return {
    errorType: error?.name ?? 'Error',
    errorMessage: error?.message ?? String(error),
    trace: String(error?.stack ?? error).split('\n'),
  };
}

/** Named as the runtime of AWS names it. */
function named(name, message) {
  return Object.assign(new Error(message), { name });
}

function end(error) {
  say('fatal', JSON.stringify(describe(error)));
  process.exit(1);
}

/** What is printed is logged, in order and before the answer. */
function captureOutput() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (chunk, encoding, callback) => {
      say('log', JSON.stringify(Buffer.from(chunk, 'utf8').toString()));
      (typeof encoding === 'function' ? encoding : callback)?.();
      return true;
    };
  }
  for (const [method, level] of [
    ['log', 'INFO'],
    ['info', 'INFO'],
    ['warn', 'WARN'],
    ['error', 'ERROR'],
    ['debug', 'DEBUG'],
  ]) {
    console[method] = (...values) => print(level, ...values);
  }
}

/** The format of the log lines of AWS: time, request, level, text. */
function print(level, ...values) {
  const text = format(...values).replaceAll('\n', '\r');
  process.stdout.write(`${new Date().toISOString()}\t${requestId}\t${level}\t${text}\n`);
}

/** `folder/module.function`, as the handler setting of a function writes it. */
async function loadHandler() {
  const setting = process.env._HANDLER;
  const [, folder = '', module, path] = /^(.*\/)?([^./]+)\.(.+)$/.exec(setting) ?? [];
  const base = join(process.env.LAMBDA_TASK_ROOT, folder, module ?? setting);
  const extension = ['.mjs', '.js', '.cjs'].find((one) => existsSync(base + one));
  if (extension === undefined) {
    throw named('Runtime.ImportModuleError', `Cannot find module '${module ?? setting}'`);
  }
  const loaded = await import(pathToFileURL(base + extension).href);
  const lookUp = (from) => path.split('.').reduce((found, name) => found?.[name], from);
  const handler = lookUp(loaded) ?? lookUp(loaded.default);
  if (typeof handler !== 'function') {
    throw named('Runtime.HandlerNotFound', `${setting} is undefined or not exported`);
  }
  return handler;
}

function contextOf(invocation) {
  const { env } = process;
  const deadline = Date.now() + invocation.timeout * 1_000;
  return {
    awsRequestId: invocation['invoke-id'],
    invokedFunctionArn: invocation['invoked-function-arn'],
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

/** Handlers answer with a promise or through their third parameter. */
function call(handler, event, context) {
  return new Promise((resolve, reject) => {
    const answer = handler(event, context, (error, value) =>
      error ? reject(error) : resolve(value),
    );
    if (typeof answer?.then === 'function') answer.then(resolve, reject);
    else if (handler.length < 3) resolve(answer);
  });
}

async function answer(handler, invocation) {
  try {
    const event = JSON.parse(invocation.payload || '{}');
    const value = await call(handler, event, contextOf(invocation));
    const text = JSON.stringify(value === undefined ? null : value);
    const bytes = Buffer.byteLength(text);
    if (bytes <= MAX_RESPONSE_BYTES) return say('response', text);
    const reason = `Response payload size (${bytes} bytes) exceeded maximum allowed payload size (${MAX_RESPONSE_BYTES} bytes).`;
    say('error', JSON.stringify(describe(named('Function.ResponseSizeTooLarge', reason))));
  } catch (error) {
    print('ERROR', 'Invoke Error', JSON.stringify(describe(error)));
    say('error', JSON.stringify(describe(error)));
  }
}

captureOutput();
let handler;
try {
  handler = await loadHandler();
} catch (error) {
  end(error);
}
process.on('uncaughtException', end);
process.on('unhandledRejection', (reason) => {
  end(named('Runtime.UnhandledPromiseRejection', String(reason?.message ?? reason)));
});
say('ready');
// Ends with its input, that is with the emulator.
for await (const line of createInterface({ input: process.stdin })) {
  const invocation = JSON.parse(line);
  requestId = invocation['invoke-id'];
  process.env._X_AMZN_TRACE_ID = invocation['trace-id'];
  await answer(handler, invocation);
}
process.exit(0);
