// Given to LocalStack's Node children by NODE_OPTIONS: LocalStack starts its Kinesis in a session of its own, where it
// would outlive a kill -9 of LocalStack. A process whose parent is gone belongs to another one.
const LOOK_MILLIS = 1_000;

const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) process.exit(0);
}, LOOK_MILLIS).unref();
