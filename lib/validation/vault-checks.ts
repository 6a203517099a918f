import { readFileSync } from 'node:fs';
import type {
  IPolicyValidationContext,
  IPolicyValidationPlugin,
  PolicyValidationPluginReport,
} from 'aws-cdk-lib';
import type { RetentionConfig } from '../config/environment-config.ts';
import { type Template, vaultViolations } from './vault-rules.ts';

/** Ends a synthesis whose templates would replace, empty or expire the vault. */
export class VaultChecks implements IPolicyValidationPlugin {
  readonly name = 'LineageEvidence';
  readonly #periodDays: number;

  constructor({ classes = {}, ...standard }: RetentionConfig) {
    const periods = [standard, ...Object.values(classes)];
    this.#periodDays = Math.max(
      ...periods.flatMap(({ lineageDays, traceDays }) => [lineageDays, traceDays]),
    );
  }

  /** @param context the templates of the stage that the checks were registered for */
  validate({ stackTemplates }: IPolicyValidationContext): PolicyValidationPluginReport {
    const stacks = stackTemplates.map(({ templatePath }) => ({
      templatePath,
      template: JSON.parse(readFileSync(templatePath, 'utf8')) as Template,
    }));
    const found = vaultViolations(
      stacks.map(({ template }) => template),
      this.#periodDays,
    );
    const violations = found.map(({ description, logicalId, rule }) => {
      const holds = stacks.find(({ template }) => logicalId && template.Resources?.[logicalId]);
      const at = holds ?? stacks[0];
      return {
        ruleName: rule,
        description,
        violatingResources: [
          { resourceLogicalId: logicalId, templatePath: at?.templatePath, locations: [] },
        ],
      };
    });
    return { success: violations.length === 0, violations };
  }
}
