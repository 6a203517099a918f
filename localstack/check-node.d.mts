/** Whether a Node version (`20.19.0`) is new enough. */
export declare function isSupportedNode(version: string): boolean;
