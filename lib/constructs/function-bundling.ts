import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/** Some CommonJS dependencies call `require` inside the ESM bundle. */
const ESM_REQUIRE_SHIM =
  "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** How every function is bundled; the bundle benchmark measures with the same options. */
export const FUNCTION_BUNDLING = {
  banner: ESM_REQUIRE_SHIM,
  bundleAwsSDK: true,
  format: OutputFormat.ESM,
  mainFields: ['module', 'main'],
  minify: true,
  sourceMap: false, // a linked map costs 6 ms of every cold start
  target: 'node20', // the emulators run bundles on the machine's own Node
} satisfies BundlingOptions;
