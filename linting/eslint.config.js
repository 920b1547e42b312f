// The form of the explorers' JavaScript; its names and types are the type checker's.
import js from "@eslint/js";

// Text reaches the page as text: a token is data, never markup.
const MARKUP = ["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", "write"];

export default [
  js.configs.recommended,
  {
    rules: {
      "no-undef": "off",
      "no-restricted-properties": ["error", ...MARKUP.map((property) => ({ property }))],
      eqeqeq: "error",
      "max-len": ["error", { code: 120 }],
      "max-lines": ["error", 250],
      "no-eval": "error",
      "no-implicit-coercion": "error",
      "no-nested-ternary": "off",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
];
